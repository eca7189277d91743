// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace unroll {

class Autosave;
class FileCommands;
class MessageBar;
class RunController;

/// Lets a window close. Asks about unsaved changes first; a run that is in progress is stopped and saved, with the
/// window live, which closes when that is done.
class WindowClosing : public QObject {
    Q_OBJECT
public:
    struct Context {
        RunController& controller;
        FileCommands& files;
        Autosave& autosave;
        MessageBar& messages;
    };

    /// All must outlive it; it belongs to the window.
    WindowClosing(QWidget& window, const Context& context);

    bool mayClose();                            ///< to be asked when the window is closed
    bool isUnderWay() const { return m_waits; } ///< it goes once its run is saved

private:
    void runStateChanged();

    QWidget& m_window;
    Context m_context;
    bool m_waits = false; ///< for the run to be saved
};

} // namespace unroll
