// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/export/export_source.h"
#include "app/studio/export/format_list.h"
#include "app/studio/run/run_controller.h"
#include "core/export/export.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace unroll {

/// What to export, as what, and where to. Follows the window's run while that is the one that is shown.
class ExportForm : public QWidget {
    Q_OBJECT
public:
    /// `place` is the folder that each run is proposed a folder in.
    ExportForm(RunController& controller, const Appearance& appearance, QString place, QWidget* parent = nullptr);

    /// The run to export; empty: none. Where nothing can be exported the form says why.
    void showRun(const QString& folder);
    const QString& run() const { return m_source.folder; }
    QString shownText() const { return m_note->text(); } ///< what stands below the run
    bool isReady() const;
    void focusFormats(); ///< gives the keyboard to the list of formats
    /// Only where isReady().
    ExportRequest request() const;

Q_SIGNALS:
    void edited();     ///< something else is asked for
    void sourceRead(); ///< the run's checkpoints may be others

private:
    void addRunRow(QGridLayout& grid);
    void addCheckpointRow(QGridLayout& grid);
    void addTargetRow(QGridLayout& grid);
    void chooseRun();
    void chooseTarget();
    void follow();
    bool isUnderWay() const; ///< the run that is shown
    void readSource();
    void fillCheckpoints();
    void refreshNote();

    RunController& m_controller;
    QString m_place;
    ExportSource m_source;
    std::int64_t m_checkpointed = -1; ///< of the window's run, when the source was read
    QLabel* m_run;
    QComboBox* m_checkpoints;
    QPushButton* m_checkpointNow;
    QLabel* m_note;
    FormatList* m_formats;
    QLineEdit* m_target;
    bool m_targetEdited = false; ///< by the user: another run does not change it
};

} // namespace unroll
