// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/main_window.h"

#include "app/studio/export/export_command.h"
#include "app/studio/preferences/commands.h"
#include "app/studio/theme/keeps_height.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/window/canvas_menus.h"
#include "app/studio/window/dock_titles.h"
#include "app/studio/window/editing_actions.h"
#include "app/studio/window/file_commands.h"
#include "app/studio/window/file_drops.h"
#include "app/studio/window/help_commands.h"
#include "app/studio/window/lesson_commands.h"
#include "app/studio/window/panel_links.h"
#include "app/studio/window/pending_input.h"
#include "app/studio/window/primary_button.h"
#include "app/studio/window/run_folders.h"
#include "app/studio/window/run_problems.h"
#include "app/studio/window/run_reopening.h"
#include "app/studio/window/start_mode.h"
#include "app/studio/window/theme_commands.h"
#include "app/studio/window/training_actions.h"
#include "app/studio/window/window_list.h"
#include "app/studio/window/window_menus.h"

#include <QApplication>
#include <QCloseEvent>
#include <QMenuBar>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace unroll {

MainWindow::MainWindow(Workshop& workshop, QWidget* parent)
    : QMainWindow(parent),
      m_workshop(workshop),
      m_document(workshop.registry, workshop.data),
      m_autosave(m_document, workshop.autosave),
      m_problems(m_document),
      m_controller(workshop.startRun),
      m_scene(m_document, m_problems, workshop.appearance),
      m_commands(m_scene),
      m_actions(workshop.appearance, this),
      m_pendingInput(new PendingInput(*this))
{
    setWindowIcon(QIcon(":/icons/unroll.svg"));
    setDockNestingEnabled(true);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::TopRightCorner, Qt::RightDockWidgetArea);
    setContextMenuPolicy(Qt::NoContextMenu);
    makeCentre();
    makePanels();
    makeRunBar();
    makeMenus();
    connectEditing();
    connectRun();
    connectFiles();
    connectStart();
    connectRuns();
    acceptFiles();
    followPreferences();
    resize(1440, 900);
    arrange("train");
    refreshTitle();
    runStateChanged();
    m_view->setFocus(); // else the first button of the window has the keyboard
}

/// A field that loses the focus ends its edit, and asks the document: while that is there. Panels out of the window have a focus of their own.
MainWindow::~MainWindow()
{
    QWidgetList tops{this};
    for (Dock* dock : m_panels.docks())
        tops << dock->window();
    for (const QWidget* top : tops)
        if (QWidget* last = top->focusWidget())
            last->clearFocus();
}

/// The canvas or the start page, below what is to be said.
void MainWindow::makeCentre()
{
    const Appearance& appearance = m_workshop.appearance;
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_questions = new MessageBar(appearance));
    column->addWidget(m_messages = new MessageBar(appearance));
    column->addWidget(m_lesson = new LessonStrip(appearance));
    for (QWidget* bar : std::initializer_list<QWidget*>{m_questions, m_messages, m_lesson})
        keepHeight(*bar);
    column->addWidget(m_centre = new QStackedWidget, 1);
    m_centre->addWidget(m_view = new GraphView(m_scene, appearance));
    m_view->setMinimumHeight(5 * space::xl); // a low window takes from the panels below too
    m_centre->addWidget(m_start = new StartPage(m_workshop.registry, appearance));
    setCentralWidget(centre);
}

void MainWindow::makePanels()
{
    m_panels.make(panelTable(), {m_workshop, m_document, m_problems, m_controller, m_scene}, *this);
    const RecentBlocks recent(m_workshop.settings);
    auto* popup = new PalettePopup(m_workshop.registry, recent, m_workshop.appearance, this);
    new BlockPlacer(*m_view, *popup, palettePanel(), recent, this);
    new DockTitles(*this, m_panels, m_document, m_problems);
}

void MainWindow::makeRunBar()
{
    m_training = new TrainingActions(
        m_actions, m_document, m_controller, *m_messages, m_workshop, runs(), [this] { leaveStart(); },
        this); // what is said then belongs to the canvas
    m_runBar =
        new RunBar(m_document, m_controller, m_training->commands(), m_training->actions(), m_workshop.appearance);
    addToolBar(m_runBar);
}

void MainWindow::makeMenus()
{
    fillMenuBar(*menuBar(), m_actions,
                {recentFiles(), m_panels.docks(), [this](const QString& path) { m_files->openWhereItFits(path); },
                 [this](const QString& layout) { arrange(layout); }});
    keepKeysToCanvas(m_actions, *m_view);
    new ExportCommand(*m_actions.exportRun, m_document, m_controller, m_workshop, *this);
    new ThemeCommands(m_actions, *m_workshop.preferences, m_workshop.appearance, this);
    new HelpCommands(*this, m_actions,
                     {*m_view, m_workshop.appearance, *m_workshop.preferences, [this] { return isStartShown(); }});
}

/// Once all commands stand in their menus.
void MainWindow::followPreferences()
{
    connect(m_workshop.preferences.get(), &Preferences::changed, this, &MainWindow::takePreferences);
    takePreferences();
}

void MainWindow::takePreferences()
{
    const Choices& choices = m_workshop.preferences->choices();
    giveKeys(*this, choices.keys);
    state().setMemory(static_cast<std::size_t>(choices.lookMegabytes) << 20);
    m_reopening->refreshPlace();
}

void MainWindow::connectEditing()
{
    const auto* editing = new EditingActions(m_actions, m_document, *m_view, m_commands, this);
    new CanvasMenus(m_actions, m_commands, *m_view, this);
    auto* links = new PanelLinks(
        m_panels, *m_view, *m_messages, [this](Dock& dock) { showPanel(dock); }, this);
    links->join(*editing, m_commands);
    connect(&m_commands, &EditCommands::refused, m_messages, &MessageBar::showNote);
    connect(&m_document, &Document::fileChanged, this, &MainWindow::refreshTitle);
    connect(&m_document, &Document::refused, m_messages, &MessageBar::showNote);
    connect(&m_document, &Document::replaced, m_messages, &QWidget::hide);
}

void MainWindow::connectRun()
{
    RunCommands& commands = m_training->commands();
    connect(&commands, &RunCommands::refused, this, [this] { showPanel(m_panels.dock("problems")); });
    connect(&m_document, &Document::replaced, &m_controller, &RunController::forget);
    new RunFolders(*m_actions.openRunFolder, m_controller, runs(), *m_messages, this);
    connect(&m_controller, &RunController::stateChanged, this, &MainWindow::runStateChanged);
    connect(&m_controller, &RunController::runChanged, this, &MainWindow::runStateChanged);
    new RunProblems(m_controller, m_problems, commands, m_panels.dock("problems"), this);
}

void MainWindow::connectFiles()
{
    m_files = new FileCommands(*this, m_autosave);
    connect(m_actions.newWindow, &QAction::triggered, this, [this] {
        MainWindow& window = newWindow(m_workshop);
        window.showStart();
        window.show();
    });
    connect(m_actions.open, &QAction::triggered, m_files, &FileCommands::openDialog);
    connect(m_actions.save, &QAction::triggered, m_files, &FileCommands::save);
    connect(m_actions.saveAs, &QAction::triggered, m_files, &FileCommands::saveAs);
    connect(m_actions.close, &QAction::triggered, this, &QWidget::close);
    connect(m_actions.quit, &QAction::triggered, m_files, &FileCommands::closeAll);
}

void MainWindow::connectStart()
{
    m_startMode = new StartMode(*this, *m_centre);
    connect(m_startMode, &StartMode::changed, this, &MainWindow::refreshTitle);
    new LessonCommands({*m_lesson, *m_actions.lesson, *m_runBar->findChild<PrimaryButton*>(), m_panels, m_controller,
                        *m_messages, [this](Dock& dock) { showPanel(dock); }},
                       m_document, *m_files, this);
}

void MainWindow::connectRuns()
{
    m_reopening = new RunReopening(*this);
    connect(&m_training->commands(), &RunCommands::resumeAsked, m_reopening, &RunReopening::resumeShown);
}

void MainWindow::acceptFiles()
{
    const auto messagesOf = [](MainWindow* window) { return window != nullptr ? window->m_messages : nullptr; };
    new FileDrops(*this, m_document, *m_view, *m_messages,
                  {[=, this](const QString& path) { return messagesOf(m_files->openWhereItFits(path)); },
                   [=, this](const QString& path) { return messagesOf(m_reopening->openExperiment(path)); },
                   [=, this](const QString& path) { return messagesOf(m_startMode->openData(path)); },
                   [this] { return isStartShown(); }});
}

void MainWindow::openDefault()
{
    m_files->openDefault();
}

bool MainWindow::openFile(const QString& path)
{
    return m_files->open(path);
}

void MainWindow::offerAbandoned()
{
    m_files->offerAbandoned();
}

bool MainWindow::isFree() const
{
    return !m_controller.isUnderWay() && !m_document.isModified();
}

bool MainWindow::isStartShown() const
{
    return m_startMode->isShown();
}

void MainWindow::showStart()
{
    m_startMode->show();
}

void MainWindow::leaveStart()
{
    m_startMode->leave();
}

void MainWindow::showPanel(Dock& dock)
{
    leaveStart();
    dock.show();
    dock.raise();
}

bool MainWindow::arrange(const QString& layout)
{
    if (!applyLayout(layout, *this, m_panels))
        return false;
    m_layout = layout;
    m_startMode->uncover();
    return true;
}

void MainWindow::refreshTitle()
{
    setWindowTitle(tr("%1[*] – Unroll").arg(isStartShown() ? tr("Start") : m_document.title()));
    setWindowModified(m_document.isModified());
    setWindowFilePath(m_document.path());
}

void MainWindow::runStateChanged()
{
    const auto& trained = m_controller.experiment();
    m_scene.setTrained(m_controller.isUnderWay() && trained ? &trained->graph : nullptr);
    if (m_closing && !m_controller.isUnderWay())
        close();
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && isActiveWindow())
        m_files->look();
}

/// A run that is under way is stopped and saved first, with the window live; the window closes when that is done.
void MainWindow::closeEvent(QCloseEvent* event)
{
    m_pendingInput->commit();
    if (!m_closing && !m_files->letGo()) {
        event->ignore();
        return;
    }
    if (!m_controller.isUnderWay()) {
        m_autosave.drop();
        for (Dock* dock : m_panels.docks())
            dock->letGo();
        event->accept();
        return;
    }
    m_closing = true;
    m_controller.stop();
    m_messages->showError(tr("Saving the run …"));
    setEnabled(false); // what would be edited by now is lost
    event->ignore();
}

} // namespace unroll
