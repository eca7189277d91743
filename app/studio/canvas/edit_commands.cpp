// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/edit_commands.h"

#include <algorithm>
#include <limits>

namespace unroll {

namespace {

constexpr double kAside = 3 * kCanvasGrid; ///< from a node to its copy, to the right and down
constexpr int kMostSteps = 1000;
constexpr double kCommentMargin = 2 * kCanvasGrid; ///< from the edge of a comment to the nodes in it
constexpr QSizeF emptyComment(360, 200);

QPointF cornerOf(const Graph& graph)
{
    double left = std::numeric_limits<double>::infinity(), top = left;
    for (const auto& [id, node] : graph.nodes) {
        left = std::min(left, node->place.x);
        top = std::min(top, node->place.y);
    }
    for (const auto& [id, frame] : graph.frames) {
        left = std::min(left, frame.place.x);
        top = std::min(top, frame.place.y);
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
    for (int step = 0; step < kMostSteps && std::any_of(fragment.nodes.begin(), fragment.nodes.end(), hides); ++step)
        offset += QPointF(kAside, kAside);
    return offset;
}

/// The copies laid out from where the first stands, and what stands to the right of that moved on by as much as they
/// are wider.
std::map<NodeId, Place> withRoom(const Graph& graph, const std::set<NodeId>& copies, const NodeExtents& extents)
{
    Graph alone = fragment(graph, copies); // what is around must not push them down: it makes room
    const Layout layout = layOut(alone, copies, extents);
    std::map<NodeId, Place> places = layout.nodes;
    double left = std::numeric_limits<double>::infinity(), right = -left, width = 0;
    for (const auto& [id, place] : places) {
        width = extents.at(id).width;
        left = std::min(left, place.x);
        right = std::max(right, place.x + width);
    }
    const double wider = right - left - width;
    for (const auto& [id, node] : graph.nodes)
        if (!copies.contains(id) && node->place.x >= left + width)
            places[id] = {node->place.x + wider, node->place.y};
    return places;
}

} // namespace

EditCommands::EditCommands(GraphScene& scene, QObject* parent) : QObject(parent), m_scene(scene) {}

Clipping EditCommands::clipped() const
{
    const Picked picked = m_scene.picked();
    Clipping clipping = clip(m_scene.shown(), picked.nodes);
    for (const FrameId id : picked.frames)
        clipping.nodes.frames[id] = m_scene.shown().frames.at(id);
    return clipping;
}

void EditCommands::copy()
{
    const Clipping clipping = clipped();
    if (!clipping.isEmpty())
        putOnClipboard(clipping);
}

void EditCommands::cut()
{
    const Picked picked = m_scene.picked();
    std::vector<GraphEdit> parts;
    if (!picked.nodes.empty())
        parts.push_back(edits::removeNodes(picked.nodes));
    for (const FrameId id : picked.frames)
        parts.push_back(edits::removeFrame(id));
    if (parts.empty())
        return;
    copy();
    m_scene.apply(edits::sequence(tr("Cut").toStdString(), std::move(parts)));
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
    Clipping clipping = clipped();
    if (!clipping.isEmpty())
        add(std::move(clipping.nodes), {kAside, kAside}, Inputs::Leave, tr("Duplicate"));
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

/// The copies go where the group stood, in rows where they are many; what stands to the right of it makes room. Extents
/// are those of the group: copies look alike.
void EditCommands::unroll()
{
    for (const NodeId id : m_scene.selection()) {
        const Node* node = m_scene.shown().find(id);
        if (!node->group || node->group->repeat == 1)
            continue;
        const Graph& before = m_scene.shown();
        const GraphEdit unrolling = edits::unrollGroup(id);
        const auto after = unrolling.apply(before);
        if (!after) {
            m_scene.apply(unrolling); // the document says why not
            continue;
        }
        NodeExtents extents = m_scene.nodeExtents();
        std::set<NodeId> copies;
        for (const auto& [copy, made] : after->nodes)
            if (before.find(copy) == nullptr) {
                copies.insert(copy);
                extents[copy] = extents.at(id);
            }
        m_scene.applyAndSelect(
            edits::sequence(unrolling.name, {unrolling, edits::moveNodes(withRoom(*after, copies, extents))}));
    }
    Q_EMIT arranged(m_scene.selection());
}

void EditCommands::comment()
{
    QRectF area = m_scene.pickedRect();
    if (m_scene.picked().empty())
        area = QRectF(snapped(m_aim()), emptyComment);
    else
        area.adjust(-kCommentMargin, -kCommentMargin - FrameItem::kTitleHeight, kCommentMargin, kCommentMargin);
    const QPointF corner = snapped(area.topLeft());
    const Frame frame{0,
                      tr("Comment").toStdString(),
                      {corner.x(), corner.y()},
                      std::max(area.width(), FrameItem::kLeastWidth),
                      std::max(area.height(), FrameItem::kLeastHeight)};
    if (!m_scene.applyAndSelect(edits::setFrame(frame)))
        return;
    if (const Picked made = m_scene.picked(); !made.frames.empty())
        Q_EMIT titleWanted(*made.frames.begin());
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
    Q_EMIT arranged(ids);
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
