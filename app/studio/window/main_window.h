// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/edit_commands.h"
#include "app/studio/canvas/graph_view.h"
#include "app/studio/document/autosave.h"
#include "app/studio/document/problems.h"
#include "app/studio/document/recent_files.h"
#include "app/studio/frames/training_time.h"
#include "app/studio/lenses/reading_cursor.h"
#include "app/studio/start/lesson_strip.h"
#include "app/studio/start/start_page.h"
#include "app/studio/studio_context.h"
#include "app/studio/theme/message_bar.h"
#include "app/studio/window/file_commands.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/run_bar.h"
#include "app/studio/window/start_mode.h"
#include "app/studio/window/window_actions.h"
#include "app/studio/window/window_arrangement.h"
#include "app/studio/window/window_centre.h"
#include "app/studio/window/window_closing.h"

#include <QMainWindow>

namespace unroll {

class LensPanels;
class PendingInput;
class RaceCommands;
class RunOn;
class RunReopening;
class TrainingActions;

/// One window: one experiment, its canvas and panels, at most one run. Puts the parts together; each part knows the
/// document and the run, and what a command does is said by the class that has it.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(StudioContext& studio, QWidget* parent = nullptr);
    ~MainWindow() override;

    WindowArrangement& arrangement() { return *m_arrangement; }
    bool arrange(const QString& layout) { return m_arrangement->arrange(layout); }
    bool showLayout(const QString& layout) { return m_arrangement->show(layout); }
    void showPanel(Dock& dock); ///< with the canvas
    /// Has neither a run in progress nor changes: another experiment may take its place.
    bool isFree() const { return !m_controller.isUnderWay() && !m_document.isModified(); }
    bool isClosing() const { return m_closing->isUnderWay(); } ///< it goes once its run is saved

    StudioContext& studio() { return m_studio; }
    Document& document() { return m_document; }
    RunController& controller() { return m_controller; }
    const Problems& problems() const { return m_problems; }
    RecentFiles recentFiles() { return RecentFiles(m_studio.settings); }
    const WindowActions& actions() const { return m_actions; }

    ReadingCursor& cursor() { return m_cursor; }
    GraphScene& scene() { return m_scene; }
    GraphView& canvas() { return m_centre->canvas(); }
    StartPage& startPage() { return m_centre->startPage(); }
    LessonStrip& lesson() { return m_centre->lesson(); }
    MessageBar& messages() { return m_centre->messages(); }
    MessageBar& questions() { return m_centre->questions(); }
    RunBar& runBar() { return *m_runBar; }
    const PanelSet& panels() const { return m_panels; }
    LensPanels& lenses() { return *m_lenses; }
    /// The panel of this class.
    template <class Panel>
    Panel& panel() const
    {
        return m_panels.get<Panel>();
    }

    FileCommands& files() { return *m_files; }
    StartMode& startMode() { return *m_startMode; }
    RunReopening& reopening() { return *m_reopening; }
    RaceCommands& race() { return *m_race; }
    RunOn& runOn() { return *m_runOn; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void makePanels();
    void makeRunBar();
    void makeMenus();
    void connectEditing();
    void makeCommands();
    void refreshTitle();

    StudioContext& m_studio;
    PanelSet m_panels; ///< before all that speaks to panels as it goes
    Document m_document;
    Autosave m_autosave;
    Problems m_problems;
    RunController m_controller;
    ReadingCursor m_cursor;
    TrainingTime m_time{m_controller, this};
    GraphScene m_scene;
    EditCommands m_commands;
    WindowActions m_actions;
    LensPanels* m_lenses = nullptr;
    PendingInput* m_pendingInput;
    WindowCentre* m_centre;
    TrainingActions* m_training = nullptr;
    RunBar* m_runBar = nullptr;
    FileCommands* m_files = nullptr;
    WindowClosing* m_closing = nullptr;
    StartMode* m_startMode = nullptr;
    RunReopening* m_reopening = nullptr;
    RaceCommands* m_race = nullptr;
    WindowArrangement* m_arrangement = nullptr;
    RunOn* m_runOn = nullptr;
};

} // namespace unroll
