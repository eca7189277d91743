// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/remote/remote_session.h"

#include <QPointer>
#include <QTimer>
#include <memory>

namespace unroll {

class MainWindow;
class RunOnDialog;

/// What a window does about runs that are trained elsewhere: asks where, begins one there, attaches to one.
class RunOn : public QObject {
    Q_OBJECT
public:
    explicit RunOn(MainWindow& window);

    RunOnDialog* showDialog();
    const QString& line() const { return m_line; } ///< empty: this computer
    /// Where runs of this window are trained from now on.
    void choose(const QString& line);
    /// Shows the run once the other side has told what it trains, in this window where it is free.
    void attach(const QString& line, const QString& run);

private:
    void run(const QString& line);
    void lookForAttached();

    MainWindow& m_window;
    QString m_line;
    QPointer<RunOnDialog> m_dialog;
    std::unique_ptr<RemoteSession> m_coming; ///< has not told what it trains yet
    QTimer m_timer;
};

} // namespace unroll
