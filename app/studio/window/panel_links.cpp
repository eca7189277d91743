// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/panel_links.h"

#include "app/studio/canvas/graph_view.h"
#include "app/studio/curves/curves_panel.h"
#include "app/studio/inspector/inspector_panel.h"
#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/theme/message_bar.h"
#include "app/studio/window/editing_actions.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/problems_panel.h"

#include <utility>

namespace unroll {

PanelLinks::PanelLinks(const PanelSet& panels, GraphView& view, MessageBar& messages,
                       std::function<void(Dock&)> showPanel, QObject* parent)
    : QObject(parent), m_panels(panels), m_view(view), m_messages(messages), m_showPanel(std::move(showPanel))
{
    connectState();
    connectCurves();
    connectRuns();
    connect(&panels.get<InspectorPanel>(), &InspectorPanel::nodeAsked, this, &PanelLinks::goToNode);
    connect(&panels.get<ProblemsPanel>(), &ProblemsPanel::nodeAsked, this, &PanelLinks::goToNode);
}

void PanelLinks::join(const EditingActions& editing, EditCommands& commands)
{
    connect(&editing, &EditingActions::renameAsked, this, &PanelLinks::renameSelected);
    connect(&m_panels.get<InspectorPanel>(), &InspectorPanel::unrollAsked, &commands, &EditCommands::unroll);
}

void PanelLinks::connectState()
{
    GraphScene& scene = m_view.graphScene();
    const auto& state = m_panels.get<StatePanel>();
    connect(&scene, &GraphScene::selectionChanged, this, &PanelLinks::selectionChanged);
    connect(&state, &StatePanel::watchedChanged, &scene, &GraphScene::setWatched);
    scene.setWatched(state.place());
}

void PanelLinks::connectCurves()
{
    const auto& curves = m_panels.get<CurvesPanel>();
    connect(&curves, &CurvesPanel::saved, this,
            [this](const QString& path) { m_messages.showNote(tr("The curves are saved in %1").arg(path)); });
    connect(&curves, &CurvesPanel::notSaved, this, [this](const QString& reason) {
        m_messages.showError(tr("The curves could not be saved. %1").arg(reason));
    });
}

void PanelLinks::connectRuns()
{
    const auto& runs = m_panels.get<RunsPanel>();
    connect(&runs, &RunsPanel::noted, &m_messages, &MessageBar::showNote);
    connect(&runs, &RunsPanel::failed, &m_messages, &MessageBar::showError);
    connect(&runs, &RunsPanel::overlaysChanged, this, &PanelLinks::overlayRuns);
}

/// The list marks the runs that are drawn with the colours of their curves.
void PanelLinks::overlayRuns(const std::vector<CurveOverlay>& runs)
{
    auto& curves = m_panels.get<CurvesPanel>();
    curves.setOverlays(runs);
    std::map<QString, Theme::Role> colors;
    for (const CurveOverlay& run : runs)
        if (const auto color = curves.overlayColor(run.folder))
            colors.emplace(run.folder, *color);
    m_panels.get<RunsPanel>().showColors(std::move(colors));
}

void PanelLinks::selectionChanged()
{
    const GraphScene& scene = m_view.graphScene();
    const auto selected = scene.selection();
    const Node* node = selected.size() == 1 ? scene.shown().find(*selected.begin()) : nullptr;
    if (node != nullptr)
        m_panels.get<StatePanel>().followSelection(scene.level().prefix() + node->name);
}

void PanelLinks::goToNode(const GroupPath& group, NodeId node)
{
    m_view.graphScene().goTo(group);
    m_view.reveal(node);
    m_panels.get<InspectorPanel>().revealFault();
}

void PanelLinks::renameSelected()
{
    m_showPanel(m_panels.dock("inspector"));
    m_panels.get<InspectorPanel>().renameSelected();
}

} // namespace unroll
