// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/side_file.h"

#include <QDialog>
#include <memory>
#include <vector>

class QPushButton;
class QTreeWidget;

namespace unroll {

using SideFiles = std::vector<std::shared_ptr<SideFile>>;

/// Unsaved changes in words.
struct RecoveryRow {
    QString title; ///< of the experiment
    QString file;  ///< that they are of; words in brackets where there is none
    QString when;  ///< they were kept last
};
RecoveryRow recoveryRow(const SideFile& side);
/// "3 experiments have changes that were not saved when the studio ended."
QString recoverySentence(std::size_t count);

/// All unsaved changes that were found, a row each, to be ticked and restored or discarded together. Closing it decides
/// nothing. Holds up nothing; goes when it is closed.
class RecoveryList : public QDialog {
    Q_OBJECT
public:
    explicit RecoveryList(QWidget* parent);

    /// Shows these; ticks stay where they were, new ones are ticked. With none it closes.
    void setFound(const SideFiles& found);
    QTreeWidget& table() const { return *m_table; }

Q_SIGNALS:
    void restoreAsked(const unroll::SideFiles& ticked); ///< in their order
    void discardAsked(const unroll::SideFiles& ticked);

private:
    SideFiles ticked() const;
    void refreshButtons();

    QTreeWidget* m_table;
    QPushButton* m_restore;
    QPushButton* m_discard;
    SideFiles m_found;
};

} // namespace unroll
