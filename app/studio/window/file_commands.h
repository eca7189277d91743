// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>

namespace unroll {

class Autosave;
class FileGuard;
class MainWindow;
class SideFile;

/// A window's commands on files: open, save, ask before changes are lost, take back what was found of a window that
/// ended without being closed.
class FileCommands : public QObject {
    Q_OBJECT
public:
    FileCommands(MainWindow& window, Autosave& autosave);

    /// The experiment that a new user sees first. Says so in the window when it is not there.
    void openDefault();
    /// In this window: a file of the user's, or of the gallery (which opens unsaved, so that the gallery stays as it
    /// is). False: it says why.
    bool open(const QString& path);
    /// In the window that has it, this one where it is free, or a new one. Null: it cannot be opened, and this window
    /// says why.
    MainWindow* openWhereItFits(const QString& path);
    void openDialog();
    bool save();
    bool saveAs();
    bool maybeSave(); ///< asks about unsaved changes; false: stay
    /// Asks what is to become of the changes that windows left behind which ended without being closed: of experiments
    /// without a file, of recent files, and of any file beside which nothing could be written.
    void offerAbandoned();
    void look(); ///< whether another program has written the file

    /// Every window of the program, until one wants to stay. One that saves its run does not: it goes when that is
    /// done.
    static void closeAll();

Q_SIGNALS:
    void galleryOpened(const QString& path);

private:
    void connectActions();
    bool saveTo(const QString& path);
    void restore(const std::shared_ptr<SideFile>& changes);
    void reload();

    MainWindow& m_window;
    Autosave& m_autosave;
    FileGuard* m_guard;
    QString m_notSaved; ///< why the file could not be written the last time
};

} // namespace unroll
