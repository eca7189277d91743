// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/export/export_dialog.h"

#include <QPointer>

class QAction;

namespace unroll {

/// What File > Export does in a window: one dialog, for the run of the window or else the last one that its experiment
/// has on disk. The action is enabled where there is such a run.
class ExportCommand : public QObject {
    Q_OBJECT
public:
    /// All must outlive it; it belongs to the window.
    ExportCommand(QAction& action, const Document& document, RunController& controller, StudioContext& studio,
                  QWidget& window);

    /// The dialog, with this run in it; made when there is none.
    void showDialog(const QString& runFolder);
    ExportDialog* dialog() const { return m_dialog; } ///< null: none is open

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void followRun();
    void refresh();
    QString run() const;

    QAction& m_action;
    const Document& m_document;
    RunController& m_controller;
    StudioContext& m_studio;
    QWidget& m_window;
    std::string m_runFolder; ///< of the window's run, when the action was refreshed
    QPointer<ExportDialog> m_dialog;
};

} // namespace unroll
