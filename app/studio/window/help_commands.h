// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

class QMainWindow;

namespace unroll {

class Appearance;
class GraphView;
class HelpWindow;
class Preferences;
class PreferencesDialog;
struct WindowActions;

/// What a window opens beside the work: help, the list of its keys, the preferences, About.
class HelpCommands : public QObject {
    Q_OBJECT
public:
    /// What help may be about and what its dialogs are made from.
    struct Context {
        GraphView& view;
        const Appearance& appearance;
        Preferences& preferences;
        std::function<bool()> isCanvasHidden{}; ///< then help is of the program
    };

    /// All must outlive it; it belongs to the window.
    HelpCommands(QMainWindow& window, const WindowActions& actions, Context context);

private:
    void showHelp();
    HelpWindow& bringHelp();
    void showKeys();
    PreferencesDialog& showPreferences();
    void showAbout();

    QMainWindow& m_window;
    Context m_context;
};

} // namespace unroll
