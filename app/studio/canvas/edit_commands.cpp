// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/edit_commands.h"

#include "app/studio/canvas/clipboard.h"

#include <algorithm>
#include <limits>

namespace unroll {

namespace {

constexpr double aside = 3 * canvasGrid; ///< from a node to its copy, to the right and down
constexpr int mostSteps = 1000;

QPointF cornerOf(const Graph& graph)
{
    double left = std::numeric_limits<double>::infinity(), top = left;
    for (const auto& [id, node] : graph.nodes) {
        left = std::min(left, node->place.x);
        top = std::min(top, node->place.y);
    }
    return {left, top};
}

/// Goes on from `offset` step by step until no node of the fragment would stand exactly on one that is shown.
QPointF unhidden(const Graph& shown, const Graph& fragment, QPointF offset)
{
    std::set<std::pair<double, double>> taken;
    for (const auto& [id, node] : shown.nodes)
        taken.insert({node->place.x, node->place.y});
    const auto hides = [&](const auto& entry) {
        const Place& place = entry.second->place;
        return taken.contains({place.x + offset.x(), place.y + offset.y()});
    };
    for (int step = 0; step < mostSteps && std::any_of(fragment.nodes.begin(), fragment.nodes.end(), hides); ++step)
        offset += QPointF(aside, aside);
    return offset;
}

} // namespace

EditCommands::EditCommands(GraphScene& scene, QObject* parent) : QObject(parent), m_scene(scene) {}

void EditCommands::copy()
{
    const auto selected = m_scene.selection();
    if (!selected.empty())
        putOnClipboard(clip(m_scene.shown(), selected));
}

void EditCommands::cut()
{
    const auto selected = m_scene.selection();
    if (selected.empty())
        return;
    copy();
    GraphEdit edit = edits::removeNodes(selected);
    edit.name = tr("Cut").toStdString();
    m_scene.apply(std::move(edit));
}

void EditCommands::paste(Inputs inputs)
{
    pasteAt(m_aim(), inputs);
}

void EditCommands::pasteAt(const QPointF& at, Inputs inputs)
{
    const auto clipping = takeFromClipboard();
    if (!clipping) {
        Q_EMIT refused(QString::fromStdString(clipping.error().message));
        return;
    }
    Graph fragment = inputs == Inputs::Keep ? withInputs(*clipping, m_scene.shown()) : clipping->nodes;
    const QPointF offset = snapped(at) - cornerOf(fragment);
    add(std::move(fragment), offset, inputs, tr("Paste"));
}

void EditCommands::duplicate()
{
    const auto selected = m_scene.selection();
    if (!selected.empty())
        add(fragment(m_scene.shown(), selected), {aside, aside}, Inputs::Leave, tr("Duplicate"));
}

void EditCommands::add(Graph fragment, const QPointF& offset, Inputs inputs, const QString& name)
{
    const QPointF by = unhidden(m_scene.shown(), fragment, offset);
    GraphEdit edit = edits::paste(std::move(fragment), {by.x(), by.y()}, inputs == Inputs::Keep);
    edit.name = name.toStdString();
    m_scene.applyAndSelect(std::move(edit));
}

/// One after the other, so that a wire heals across several that follow each other.
void EditCommands::removeAndReconnect()
{
    std::vector<GraphEdit> parts;
    for (const NodeId id : m_scene.selection())
        parts.push_back(edits::removeAndHeal(id));
    if (!parts.empty())
        m_scene.apply(edits::sequence(tr("Delete and reconnect").toStdString(), std::move(parts)));
}

void EditCommands::group()
{
    const auto selected = m_scene.selection();
    if (!selected.empty())
        m_scene.applyAndSelect(edits::makeGroup(selected, {}));
}

void EditCommands::unpack()
{
    std::vector<GraphEdit> parts;
    for (const NodeId id : m_scene.selection())
        if (m_scene.shown().find(id)->group)
            parts.push_back(edits::unpackGroup(id));
    if (!parts.empty())
        m_scene.applyAndSelect(edits::sequence(tr("Unpack group").toStdString(), std::move(parts)));
}

/// Comments go along, in the same step.
void EditCommands::tidy()
{
    const Graph& shown = m_scene.shown();
    auto ids = m_scene.selection();
    if (ids.size() < 2)
        for (const auto& [id, node] : shown.nodes)
            ids.insert(id);
    const Layout layout = layOut(shown, ids, m_scene.nodeExtents());
    std::vector<GraphEdit> parts{edits::moveNodes(layout.nodes)};
    for (const auto& [id, frame] : layout.frames)
        parts.push_back(edits::setFrame(frame));
    if (!layout.nodes.empty())
        m_scene.apply(edits::sequence(tr("Tidy").toStdString(), std::move(parts)));
}

void EditCommands::enter()
{
    const auto selected = m_scene.selection();
    if (selected.size() == 1)
        m_scene.enter(*selected.begin());
}

void EditCommands::selectAll()
{
    std::set<NodeId> all;
    for (const auto& [id, node] : m_scene.shown().nodes)
        all.insert(id);
    m_scene.select(all);
}

} // namespace unroll
