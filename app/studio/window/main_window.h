// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/edit_commands.h"
#include "app/studio/canvas/graph_view.h"
#include "app/studio/charts/curves_panel.h"
#include "app/studio/document/autosave.h"
#include "app/studio/document/problems.h"
#include "app/studio/document/recent_files.h"
#include "app/studio/inspector/inspector_panel.h"
#include "app/studio/inspector/training_panel.h"
#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/palette/block_placer.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/start/lesson_strip.h"
#include "app/studio/start/own_data.h"
#include "app/studio/start/start_page.h"
#include "app/studio/theme/message_bar.h"
#include "app/studio/window/layouts.h"
#include "app/studio/window/problems_panel.h"
#include "app/studio/window/run_bar.h"
#include "app/studio/window/samples_panel.h"
#include "app/studio/window/window_actions.h"
#include "app/studio/workshop.h"

#include <QMainWindow>

class QStackedWidget;

namespace unroll {

class FileCommands;
class PendingInput;
class RunReopening;
class StartMode;
class TrainingActions;

/// One window: one experiment, its canvas and panels, at most one run. Puts the parts together and says what the commands do; each part
/// knows the document and the run, none knows another.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Workshop& workshop, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// The experiment that a new user sees first. Says so in the window when it is not there.
    void openDefault();
    /// A file of the user's, or of the gallery (which opens unsaved, so that the gallery stays as it is). False: the window says why.
    bool openFile(const QString& path);
    /// Asks what is to become of the changes that windows left behind which ended without being closed: of experiments without a file, of
    /// recent files, and of any file beside which nothing could be written.
    void offerAbandoned();
    bool arrange(const QString& layout);
    const QString& layoutName() const { return m_layout; } ///< the one that was chosen last
    /// The start page in the place of the canvas, without panels. Whatever shows or changes the experiment brings the canvas back, and the panels
    /// as they were.
    void showStart();
    void leaveStart();
    bool isStartShown() const;
    void showPanel(Dock& dock); ///< with the canvas
    bool isFree() const;        ///< has neither a run under way nor changes: another experiment may take its place
    bool isClosing() const { return m_closing; } ///< it goes once its run is saved

    Workshop& workshop() { return m_workshop; }

    Document& document() { return m_document; }
    RunController& controller() { return m_controller; }
    const Problems& problems() const { return m_problems; }
    GraphScene& scene() { return m_scene; }
    GraphView& canvas() { return *m_view; }
    InspectorPanel& inspector() { return m_panels.get<InspectorPanel>(); }
    TrainingPanel& training() { return m_panels.get<TrainingPanel>(); }
    CurvesPanel& curves() { return m_panels.get<CurvesPanel>(); }
    StatePanel& state() { return m_panels.get<StatePanel>(); }
    SamplesPanel& samples() { return m_panels.get<SamplesPanel>(); }
    StartPage& startPage() { return *m_start; }
    LessonStrip& lesson() { return *m_lesson; }
    RunsPanel& runs() { return m_panels.get<RunsPanel>(); }
    ProblemsPanel& problemsPanel() { return m_panels.get<ProblemsPanel>(); }
    PalettePanel& palettePanel() { return m_panels.get<PalettePanel>(); }
    RunBar& runBar() { return *m_runBar; }
    MessageBar& messages() { return *m_messages; }
    MessageBar& questions() { return *m_questions; } ///< about the file; what the messages say does not push them away
    const Autosave& autosave() const { return m_autosave; }
    RecentFiles recentFiles() { return RecentFiles(m_workshop.settings); }
    const WindowActions& actions() const { return m_actions; }
    const PanelSet& panels() const { return m_panels; }
    FileCommands& files() { return *m_files; }
    RunReopening& reopening() { return *m_reopening; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void makeCentre();
    void makePanels();
    void makeRunBar();
    void makeMenus();
    void followPreferences();
    void takePreferences();
    void connectEditing();
    void connectRun();
    void connectFiles();
    void connectStart();
    void connectRuns();
    void acceptFiles();

    void runStateChanged();
    void refreshTitle();

    Workshop& m_workshop;
    PanelSet m_panels; ///< before all that speaks to panels as it goes
    Document m_document;
    Autosave m_autosave;
    Problems m_problems;
    RunController m_controller;
    GraphScene m_scene;
    EditCommands m_commands;
    WindowActions m_actions;
    PendingInput* m_pendingInput;
    QStackedWidget* m_centre = nullptr; ///< the canvas or the start page
    GraphView* m_view = nullptr;
    StartPage* m_start = nullptr;
    LessonStrip* m_lesson = nullptr;
    MessageBar* m_messages = nullptr;
    MessageBar* m_questions = nullptr;
    TrainingActions* m_training = nullptr;
    FileCommands* m_files = nullptr;
    StartMode* m_startMode = nullptr;
    RunReopening* m_reopening = nullptr;
    RunBar* m_runBar = nullptr;
    QString m_layout;
    bool m_closing = false; ///< the window waits for its run to be saved, then goes
};

} // namespace unroll
