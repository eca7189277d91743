// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/main_window.h"

#include "app/studio/export/export_command.h"
#include "app/studio/frames/time_line.h"
#include "app/studio/lenses/forecast/forecast_view.h"
#include "app/studio/palette/block_placer.h"
#include "app/studio/preferences/commands.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/study/study_panel.h"
#include "app/studio/window/canvas_menus.h"
#include "app/studio/window/dock_titles.h"
#include "app/studio/window/editing_actions.h"
#include "app/studio/window/file_drops.h"
#include "app/studio/window/help_commands.h"
#include "app/studio/window/import_command.h"
#include "app/studio/window/lens_panels.h"
#include "app/studio/window/lesson_commands.h"
#include "app/studio/window/panel_links.h"
#include "app/studio/window/pending_input.h"
#include "app/studio/window/picture_command.h"
#include "app/studio/window/primary_button.h"
#include "app/studio/window/race_commands.h"
#include "app/studio/window/run_links.h"
#include "app/studio/window/run_on.h"
#include "app/studio/window/run_reopening.h"
#include "app/studio/window/samples_panel.h"
#include "app/studio/window/study_commands.h"
#include "app/studio/window/theme_commands.h"
#include "app/studio/window/training_actions.h"
#include "app/studio/window/unrolled_views.h"
#include "app/studio/window/window_menus.h"

#include <QCloseEvent>
#include <QMenuBar>

namespace unroll {

namespace {

constexpr const char* kGeometry = "window/geometry"; ///< in the settings

} // namespace

MainWindow::MainWindow(StudioContext& studio, QWidget* parent)
    : QMainWindow(parent),
      m_studio(studio),
      m_document(studio.registry, studio.data),
      m_autosave(m_document, studio.autosave, this),
      m_problems(m_document),
      m_controller(studio.startRun),
      m_scene(m_document, m_problems, studio.appearance),
      m_commands(m_scene),
      m_actions(studio.appearance, this),
      m_pendingInput(new PendingInput(*this)),
      m_centre(new WindowCentre(m_scene, studio.registry, studio.appearance))
{
    setWindowIcon(QIcon(":/icons/unroll.svg"));
    setDockNestingEnabled(true);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::TopRightCorner, Qt::RightDockWidgetArea);
    setContextMenuPolicy(Qt::NoContextMenu);
    setCentralWidget(m_centre);
    makePanels();
    makeRunBar();
    makeMenus();
    connectEditing();
    new RunLinks(*this, m_training->commands(), m_problems, m_time);
    makeCommands();
    new FileDrops(*this);
    followKeys(*this, *m_studio.preferences);
    resize(1440, 900);
    restoreGeometry(m_studio.settings.value(kGeometry).toByteArray());
    m_arrangement->showChosen();
    refreshTitle();
    canvas().setFocus(); // else the first button of the window has the keyboard
}

/// A field that loses the focus ends its edit, and asks the document: while that is there. Panels out of the window
/// have a focus of their own.
MainWindow::~MainWindow()
{
    QWidgetList tops{this};
    for (Dock* dock : m_panels.docks())
        tops << dock->window();
    for (const QWidget* top : tops)
        if (QWidget* last = top->focusWidget())
            last->clearFocus();
}

void MainWindow::makePanels()
{
    const PanelContext context{m_studio, m_document, m_problems, m_controller, m_scene, m_cursor, m_time};
    m_panels.make(panelTable(), context, *this);
    const RecentBlocks recent(m_studio.settings);
    auto* popup = new PalettePopup(m_studio.registry, recent, m_studio.appearance, this);
    new BlockPlacer(canvas(), *popup, panel<PalettePanel>(), recent, this);
    auto* titles = new DockTitles(*this, m_panels, m_document, m_problems);
    m_lenses = new LensPanels(m_panels, context, *this, *titles, [this](Dock& dock) { showPanel(dock); });
    m_lenses->connectTo(messages());
    m_arrangement = new WindowArrangement(*this, m_panels, *m_lenses, m_studio.settings);
    panel<SamplesPanel>().forecast().join(m_cursor);
}

void MainWindow::makeRunBar()
{
    m_training = new TrainingActions(
        m_actions, m_document, m_controller, messages(), m_studio, panel<RunsPanel>(), [this] { m_startMode->leave(); },
        this); // what is said then belongs to the canvas
    m_runBar = new RunBar(m_document, m_controller, m_training->commands(), m_training->actions(), m_studio.appearance);
    addToolBar(m_runBar);
    addToolBar(Qt::BottomToolBarArea, new TimeLine(m_time, m_studio.appearance));
}

void MainWindow::makeMenus()
{
    auto* weights = new ImportCommand(*this, *m_training);
    fillMenuBar(*menuBar(), m_actions,
                {recentFiles(), m_panels.docks(), [this](const QString& path) { m_files->openWhereItFits(path); },
                 [this](const QString& layout) { m_arrangement->choose(layout); },
                 [this](QMenu& menu) { m_lenses->fill(menu); }, [this] { panel<StudyPanel>().askForStudy(); },
                 [weights] { weights->showDialog(); }});
    keepKeysToCanvas(m_actions, canvas());
    connect(m_actions.layoutReset, &QAction::triggered, m_arrangement, &WindowArrangement::reset);
    new ExportCommand(*m_actions.exportRun, m_document, m_controller, m_studio, *this);
    new ThemeCommands(m_actions, *m_studio.preferences, m_studio.appearance, this);
    new HelpCommands(*this, m_actions,
                     {canvas(), m_studio.appearance, *m_studio.preferences, [this] { return m_startMode->isShown(); }});
}

void MainWindow::connectEditing()
{
    const auto* editing = new EditingActions(m_actions, m_document, canvas(), m_commands, this);
    new CanvasMenus(m_actions, m_commands, canvas(), this);
    new UnrolledViews(*m_actions.unrolled, canvas(), m_studio.settings, this);
    new PictureCommand(*m_actions.savePicture, m_scene, m_studio.appearance, messages(), *this);
    auto* links = new PanelLinks(
        m_panels, canvas(), messages(), [this](Dock& dock) { showPanel(dock); }, this);
    links->join(*editing, m_commands);
    connect(&m_commands, &EditCommands::refused, &messages(), &MessageBar::showNote);
    connect(&m_document, &Document::fileChanged, this, &MainWindow::refreshTitle);
    connect(&m_document, &Document::refused, &messages(), &MessageBar::showNote);
    connect(&m_document, &Document::replaced, &messages(), &QWidget::hide);
}

void MainWindow::makeCommands()
{
    m_files = new FileCommands(*this, m_autosave);
    m_closing = new WindowClosing(*this, {m_controller, *m_files, m_autosave, messages()});
    m_startMode = new StartMode(*this, *m_centre);
    connect(m_startMode, &StartMode::changed, this, &MainWindow::refreshTitle);
    connect(m_arrangement, &WindowArrangement::arranged, m_startMode, &StartMode::leaveStartPage);
    new LessonCommands({lesson(), *m_actions.lesson, *m_runBar->findChild<PrimaryButton*>(), m_panels, m_controller,
                        messages(), [this](Dock& dock) { showPanel(dock); }},
                       m_document, *m_files, this);
    m_reopening = new RunReopening(*this, m_training->commands());
    m_race = new RaceCommands(*this);
    new StudyCommands(*this);
    m_runOn = new RunOn(*this);
}

void MainWindow::showPanel(Dock& dock)
{
    m_startMode->leave();
    dock.show();
    dock.raise();
}

void MainWindow::refreshTitle()
{
    setWindowTitle(tr("%1[*] – Unroll").arg(m_startMode->isShown() ? tr("Start") : m_document.title()));
    setWindowModified(m_document.isModified());
    setWindowFilePath(m_document.path());
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && isActiveWindow())
        m_files->look();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    m_pendingInput->commit();
    event->setAccepted(m_closing->mayClose());
    if (!event->isAccepted())
        return;
    for (Dock* dock : m_panels.docks())
        dock->endTitlePress();
    m_arrangement->end();
    m_studio.settings.setValue(kGeometry, saveGeometry());
}

} // namespace unroll
