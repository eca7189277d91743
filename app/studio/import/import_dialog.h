// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/import/import_process.h"
#include "app/studio/theme/message_bar.h"
#include "core/block/registry.h"
#include "core/experiment/experiment.h"

#include <QDialog>
#include <QTemporaryDir>
#include <QTimer>
#include <functional>

class QCheckBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace unroll {

class PathField;

/// What weights are imported into.
struct ImportSource {
    const BlockRegistry& registry;
    const Appearance& appearance;
    std::function<Experiment()> experiment; ///< as it is now
    QString proposed;                       ///< file to write
    QString inUse;                          ///< file that new runs begin with; empty: none
};

/// "Import Weights": a file of another package, the nodes that take weights from it, and the mapping, which is shown
/// before anything is taken. Import writes a file that runs begin with. No weight is read in this process, and
/// nothing waits for the other, which closing the dialog ends.
class ImportDialog : public QDialog {
    Q_OBJECT
public:
    explicit ImportDialog(ImportSource source, QWidget* parent = nullptr);

    void setWeights(const QString& file);
    /// The mapping is shown as it is now asked for, and can be taken.
    bool isShown() const { return m_step == Step::Shown; }
    QString note() const; ///< what the mapping comes to, or why there is none
    QTreeWidget& table() const { return *m_table; }
    MessageBar& messages() const { return *m_messages; }
    /// The experiment or a field is another: asks for the mapping when nothing has changed for a moment.
    void askSoon();

Q_SIGNALS:
    void imported(const QString& file, int tensors); ///< written
    void cleared();                                  ///< runs are to begin without the file in use

private:
    enum class Step { Nothing, Asking, Shown, Refused, Writing };

    QWidget* makeForm();
    void addFileRow(QGridLayout& grid);
    void addNodeRows(QGridLayout& grid);
    void addTargetRow(QGridLayout& grid);
    QLayout* makeButtons();
    QWidget* makeInUse();
    void chooseTarget();
    void ask();
    QString target() const;
    QStringList nodes() const;
    void showMapping(const WeightMapping& mapping);
    void fill(const WeightMapping& mapping);
    void fitColumns();
    bool isAwaited() const; ///< an answer of the process is for what is asked for now
    void refuse(const QString& sentence);
    void setStep(Step step, const QString& words);
    void writeOrAsk();
    void write();

    ImportSource m_source;
    QTemporaryDir m_folder; ///< of the experiment as it is now
    ImportProcess m_process;
    ImportWish m_wish; ///< whose mapping is shown or asked for
    Step m_step = Step::Nothing;
    bool m_isOld = false; ///< the experiment was changed while the file was written
    QTimer m_soon;
    MessageBar* m_messages;
    QWidget* m_form = nullptr;
    PathField* m_weights;
    QCheckBox* m_all;
    QLineEdit* m_nodes;
    QLineEdit* m_target;
    QTreeWidget* m_table;
    QLabel* m_note;
    QPushButton* m_import = nullptr;
};

} // namespace unroll
