// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/race_commands.h"

#include "app/studio/compare/comparing.h"
#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/race/race_panel.h"
#include "app/studio/run/runs_place.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/run_reopening.h"
#include "core/runs/run_names.h"

#include <QFileInfo>

namespace unroll {

RaceCommands::RaceCommands(MainWindow& window) : QObject(&window), m_window(window), m_panel(window.panel<RacePanel>())
{
    connect(window.actions().compareCells, &QAction::triggered, this, &RaceCommands::showDialog);
    connect(window.actions().openRace, &QAction::triggered, &m_panel, &RacePanel::askForRace);
    connect(&m_panel, &RacePanel::opened, this, [this] { m_window.showPanel(m_window.panels().dock("race")); });
    connect(&m_panel, &RacePanel::runAsked, this, [this](const QString& folder) { openRun(folder); });
    connect(&m_panel, &RacePanel::bothAsked, this, &RaceCommands::openRun);
    connect(&m_panel, &RacePanel::failed, &window.messages(), &MessageBar::showError);
    connect(&m_panel, &RacePanel::saved, &window.messages(),
            [this](const QString& path) { m_window.messages().showNote(tr("Saved %1.").arg(path)); });
    connect(&window.document(), &Document::graphChanged, this, &RaceCommands::refresh);
    connect(&window.document(), &Document::replaced, this, &RaceCommands::refresh);
    connect(&window.scene(), &GraphScene::selectionChanged, this, &RaceCommands::refresh);
    connect(&window.scene(), &GraphScene::pathChanged, this, &RaceCommands::refresh);
    refresh();
}

std::vector<RacePlace> RaceCommands::places() const
{
    const GraphScene& scene = m_window.scene();
    const auto selected = scene.selection();
    if (selected.size() != 1)
        return {};
    return racePlaces(m_window.document().graph(), m_window.studio().registry, scene.path(), *selected.begin());
}

void RaceCommands::refresh()
{
    QAction& action = *m_window.actions().compareCells;
    const bool can = !places().empty();
    action.setEnabled(can);
    action.setStatusTip(can ? QString() : tr("Select a node whose ports another block has, or a group with one."));
}

/// Beside the folder of the runs: races/<experiment>-<node>, with a number where it is taken.
QString RaceCommands::newFolder(const RacePlace& place) const
{
    const Document& document = m_window.document();
    const QString runs = runsPlace(document.path(), m_window.studio().preferences->choices().runsPlace);
    const QString races = QFileInfo(runs).path() + "/races";
    const QString named = newRunFolder(document.path(), document.title(), races);
    const std::string base = QFileInfo(named).completeBaseName().toStdString() + '-' +
                             (place.isGroup ? place.path.substr(place.path.rfind('.') + 1) : place.spec->id);
    return QString::fromStdString(freeRunFolder(races.toStdString(), base).string());
}

RaceDialog* RaceCommands::showDialog()
{
    std::vector<RacePlace> found = places();
    if (found.empty())
        return nullptr;
    if (!m_panel.isFree()) {
        open(m_panel.folder());
        m_window.messages().showNote(tr("A race is being trained in this window. Stop it to start another."));
        return nullptr;
    }
    if (m_dialog)
        m_dialog->close();
    StudioContext& studio = m_window.studio();
    const QString folder = newFolder(found.front());
    m_dialog = new RaceDialog({studio.registry, studio.data, studio.appearance, m_window.document().experiment(),
                               m_window.document().title(), std::move(found), folder},
                              &m_window);
    m_dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_dialog, &RaceDialog::started, this, &RaceCommands::train);
    m_dialog->show();
    return m_dialog;
}

void RaceCommands::open(const QString& folder)
{
    m_panel.open(folder);
}

void RaceCommands::train(const QString& folder, int parallel)
{
    m_panel.train(folder, parallel);
}

/// With another one in its State beside it, where that is named.
void RaceCommands::openRun(const QString& folder, const QString& beside)
{
    m_window.panel<RunsPanel>().commands().readRecord(folder, [this, beside](const RunRecord& record) {
        MainWindow& window = *m_window.reopening().reopen(record);
        if (beside.isEmpty())
            return;
        window.showPanel(window.panels().dock("state"));
        Comparing::of(window.panel<StatePanel>())
            ->choose({.kind = SecondSide::Kind::Run, .folder = beside.toStdString()});
    });
}

} // namespace unroll
