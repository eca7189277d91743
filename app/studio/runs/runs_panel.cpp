// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/runs_panel.h"

#include "app/studio/runs/run_text.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/empty_state.h"
#include "app/studio/theme/key_names.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/plain_label.h"

#include <QDir>
#include <QHBoxLayout>
#include <QMenu>
#include <algorithm>
#include <utility>

namespace unroll {

namespace {

constexpr int kWatchMilliseconds = 3000; // a run that another window or process writes has no other way to be noticed

QAction* madeAction(const Appearance& appearance, const char* name, const QString& text, const char* icon,
                    const QString& key, QObject* owner)
{
    auto* action = new QAction(appearance.icon(icon), text, owner);
    action->setObjectName(QString::fromLatin1(name));
    action->setToolTip(withKey(text, key));
    action->setData(key); // a shortcut would act in the whole window: the table listens itself
    return action;
}

} // namespace

RunsPanel::RunsPanel(RunController& controller, const BlockRegistry& registry, const Appearance& appearance,
                     const ColumnSettings& columns, Trash trash, QWidget* parent)
    : QWidget(parent),
      m_controller(controller),
      m_model(appearance),
      m_overlaid(m_model, m_disk),
      m_pages(new QStackedWidget),
      m_noRuns(new EmptyState(appearance, "runs", tr("No runs yet"), {})),
      m_noneFits(new EmptyState(appearance, "runs", tr("No matching runs"),
                                tr("No run of that experiment contains all these words."))),
      m_view(new RunsView(m_model, columns)),
      m_commands(new RunsCommands({controller, registry, m_model, *m_view, m_disk, std::move(trash)}, *this)),
      m_reason(plainLabel({}))
{
    makeActions(appearance);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(space::xs);
    column->addWidget(
        m_bar = new RunsBar(appearance, {m_actions.reopen, m_actions.goOn, m_actions.openGraph, m_actions.compare,
                                         m_actions.rename, m_actions.note, m_actions.remove}));
    for (QWidget* page : {static_cast<QWidget*>(m_noRuns), static_cast<QWidget*>(m_view),
                          static_cast<QWidget*>(m_noneFits)}) // in the order of Page
        m_pages->addWidget(page);
    auto* table = new QHBoxLayout; // a cell's own room does the rest: its text stands below the filter's edge
    table->setContentsMargins(space::xs, 0, space::xs, 0);
    table->addWidget(m_pages);
    column->addLayout(table, 1);
    m_reason->setObjectName("reason");
    m_reason->setProperty("tone", "dim");
    m_reason->setContentsMargins(space::m, 0, space::m, space::xs);
    column->addWidget(m_reason);
    m_watch.setSingleShot(true);
    m_watch.setInterval(kWatchMilliseconds);
    connectParts();
    refreshPage();
    refreshSelection();
}

/// Children go after the members, and tell of their going.
RunsPanel::~RunsPanel()
{
    m_view->disconnect(this);
}

void RunsPanel::makeActions(const Appearance& appearance)
{
    const auto made = [&](const char* name, const QString& text, const char* icon, const QString& key = {}) {
        return madeAction(appearance, name, text, icon, key, this);
    };
    m_actions = {made("reopenRun", tr("Open Run"), "reopen", tr("Enter")),
                 made("openRunGraph", tr("Open Graph"), "graph"),
                 made("continueRun", tr("Resume"), "run"),
                 made("overlayRun", tr("Plot Curves"), "curves", tr("Space")),
                 made("compareRuns", tr("Compare Settings"), "compare"),
                 made("renameRun", tr("Rename"), "rename", tr("F2")),
                 made("noteRun", tr("Note"), "samples"),
                 made("showRunFolder", tr("Show Folder"), "folder"),
                 made("deleteRun", tr("Move to Trash"), "delete", tr("Del"))};
    connect(m_actions.reopen, &QAction::triggered, m_commands, &RunsCommands::reopen);
    connect(m_actions.goOn, &QAction::triggered, m_commands, &RunsCommands::goOn);
    connect(m_actions.overlay, &QAction::triggered, m_commands, &RunsCommands::toggleOverlays);
    connect(m_actions.compare, &QAction::triggered, m_commands, &RunsCommands::compareSettings);
    connect(m_actions.rename, &QAction::triggered, this, [this] { m_commands->edit(RunsModel::Name); });
    connect(m_actions.note, &QAction::triggered, this, [this] { m_commands->edit(RunsModel::Note); });
    connect(m_actions.remove, &QAction::triggered, m_commands, &RunsCommands::askToDelete);
    const auto folder = [this] { return m_model.folderAt(m_view->selectedRows().front()); };
    connect(m_actions.openGraph, &QAction::triggered, this, [this, folder] { Q_EMIT graphAsked(folder()); });
    connect(m_actions.showFolder, &QAction::triggered, this, [this, folder] { Q_EMIT folderAsked(folder()); });
}

void RunsPanel::connectParts()
{
    connect(&m_bar->filterField(), &QLineEdit::textChanged, this, [this](const QString& words) {
        m_view->filter().setWords(words);
        refreshPage();
    });
    connect(m_bar, &RunsBar::experimentChanged, this, [this] {
        m_view->filter().setExperiment(m_bar->experiment());
        refreshPage();
    });
    connect(&m_bar->columnsMenu(), &QMenu::aboutToShow, this, [this] {
        m_bar->columnsMenu().clear();
        m_view->fillColumnsMenu(m_bar->columnsMenu());
    });
    connect(m_view, &RunsView::selectionMoved, this, &RunsPanel::refreshSelection);
    connect(m_view, &RunsView::reopenAsked, m_actions.reopen, &QAction::trigger);
    connect(m_view, &RunsView::renameAsked, m_actions.rename, &QAction::trigger);
    connect(m_view, &RunsView::deleteAsked, m_actions.remove, &QAction::trigger);
    connect(m_view, &RunsView::overlayAsked, m_actions.overlay, &QAction::trigger);
    connect(m_view, &QWidget::customContextMenuRequested, this, &RunsPanel::showMenu);
    connect(&m_model, &RunsModel::renameAsked, m_commands, &RunsCommands::rename);
    connect(&m_model, &RunsModel::noteAsked, m_commands, &RunsCommands::takeNote);
    connect(&m_model, &RunsModel::tooManyOverlaid, this,
            [this] { Q_EMIT noted(tr("At most %1 runs can be plotted together.").arg(RunsModel::kMostOverlaid)); });
    connect(m_commands, &RunsCommands::reopenAsked, this, &RunsPanel::reopenAsked);
    connect(m_commands, &RunsCommands::goOnAsked, this, &RunsPanel::goOnAsked);
    connect(m_commands, &RunsCommands::noted, this, &RunsPanel::noted);
    connect(m_commands, &RunsCommands::failed, this, &RunsPanel::failed);
    connect(m_commands, &RunsCommands::moved, &m_overlaid, &OverlaidRuns::refresh);
    connect(m_commands, &RunsCommands::changed, this, &RunsPanel::refresh);
    connect(&m_overlaid, &OverlaidRuns::changed, this, &RunsPanel::overlaysChanged);
    connect(&m_overlaid, &OverlaidRuns::failed, this, &RunsPanel::failed);
    connect(&m_disk, &DiskThread::failed, this, [this](const QString& sentence) {
        m_reading = false;
        Q_EMIT failed(sentence);
    });
    connect(&m_controller, &RunController::snapshotChanged, this, &RunsPanel::followRun);
    connect(&m_controller, &RunController::runChanged, this, &RunsPanel::followRun);
    connect(&m_controller, &RunController::stateChanged, this, &RunsPanel::refresh);
    connect(&m_watch, &QTimer::timeout, this, &RunsPanel::refresh);
}

void RunsPanel::setPlace(const QString& place)
{
    if (place == m_place)
        return;
    m_place = place;
    m_noRuns->setSentence(tr("Runs are saved in %1 and listed here: compare their curves, resume them, open their "
                             "graphs. Press Run ({run}) to start one.")
                              .arg(QDir::toNativeSeparators(place)));
    m_model.setRuns({});
    m_bar->setExperiments({});
    refreshPage();
    refresh();
}

void RunsPanel::refresh()
{
    m_isStale = true;
    if (m_reading || !isVisible() || m_place.isEmpty())
        return;
    m_isStale = false;
    m_reading = true;
    m_disk.ask([this, place = m_place](const std::stop_token& stop) -> DiskThread::Answer {
        auto runs = listRuns(place.toStdString(), [&stop] { return stop.stop_requested(); });
        return [this, place, runs = std::move(runs)] {
            m_reading = false;
            if (place == m_place)
                showRuns(runs);
            if (m_isStale)
                refresh();
        };
    });
}

void RunsPanel::showRuns(std::vector<RunSummary> runs)
{
    const int before = m_model.rowCount();
    m_bar->setExperiments(experimentsOf(runs));
    m_model.setRuns(std::move(runs));
    m_model.follow(*m_controller.snapshot());
    m_overlaid.refresh();
    if (m_model.rowCount() != before)
        m_view->fitColumns();
    refreshPage();
    refreshSelection();
    if (m_model.rowCount() > 0)
        m_watch.start(); // any of them may be gone on with elsewhere
}

void RunsPanel::refreshPage()
{
    const bool none = m_model.rowCount() == 0;
    m_pages->setCurrentIndex(none ? NoRuns : m_view->filter().rowCount() == 0 ? NoneFits : Table);
}

void RunsPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void RunsPanel::followRun()
{
    const std::string& folder = m_controller.snapshot()->runFolder;
    if (std::exchange(m_runFolder, folder) != folder)
        refresh();
    else if (isVisible())
        m_model.follow(*m_controller.snapshot());
}

void RunsPanel::refreshSelection()
{
    const RunSummary* run = m_commands->single();
    const bool any = !m_view->selectedRows().isEmpty();
    for (QAction* action : {m_actions.reopen, m_actions.openGraph, m_actions.goOn})
        action->setEnabled(run != nullptr && run->state != RunState::Unknown);
    for (QAction* action : {m_actions.rename, m_actions.note, m_actions.showFolder})
        action->setEnabled(run != nullptr);
    for (QAction* action : {m_actions.overlay, m_actions.remove})
        action->setEnabled(any);
    const QList<int> rows = m_view->selectedRows();
    m_actions.compare->setEnabled(rows.size() == 2 && std::none_of(rows.begin(), rows.end(), [this](int row) {
                                      return m_model.at(row).state == RunState::Unknown;
                                  }));
    const QString reason = run == nullptr ? QString() : reasonText(*run);
    m_reason->setText(reason);
    m_reason->setVisible(!reason.isEmpty());
}

void RunsPanel::showMenu(const QPoint& at)
{
    if (m_view->selectedRows().isEmpty())
        return;
    auto* menu = new QMenu(this);
    menu->setObjectName("runsMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const RunsActions& all = m_actions;
    for (QAction* action :
         {all.reopen, all.openGraph, all.goOn, all.overlay, all.compare, static_cast<QAction*>(nullptr), all.rename,
          all.note, all.showFolder, static_cast<QAction*>(nullptr), all.remove}) {
        if (action == nullptr) {
            menu->addSeparator();
            continue;
        }
        const QString key = action->data().toString();
        const QString words = key.isEmpty() ? action->text() : action->text() + '\t' + key; // drawn as a key
        QAction* entry = menu->addAction(action->icon(), words, action, &QAction::trigger);
        entry->setEnabled(action->isEnabled());
    }
    menu->popup(m_view->viewport()->mapToGlobal(at));
}

} // namespace unroll
