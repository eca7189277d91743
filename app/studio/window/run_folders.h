// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QAction;

namespace unroll {

class MessageBar;
class RunController;
class RunsPanel;

/// Shows folders of runs in the file manager: that of the window's run, and those that the list of runs asks for.
class RunFolders : public QObject {
    Q_OBJECT
public:
    /// `open` is the command for the window's run, enabled where it has a folder. All must outlive it; it belongs to
    /// the window.
    RunFolders(QAction& open, const RunController& controller, const RunsPanel& runs, MessageBar& messages,
               QObject* parent);

private:
    void refresh();
    void show(const QString& folder);

    QAction& m_open;
    const RunController& m_controller;
    MessageBar& m_messages;
};

} // namespace unroll
