// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/move_preview.h"

#include "app/studio/canvas/graph_scene.h"

#include <algorithm>
#include <utility>

namespace unroll {

void MovePreview::show(const QPointF& anchor, const QPointF& offset, bool free)
{
    const QPointF wanted = anchor + offset;
    const QPointF shift = (free ? wanted : snapped(wanted)) - anchor;
    const Moved moved = movedAlong();
    for (const NodeId id : moved.nodes) {
        const QPointF at = pointOf(m_scene.shown().find(id)->place) + shift;
        m_scene.node(id)->setPos(at);
        m_places[id] = {at.x(), at.y()};
    }
    for (const FrameId id : moved.frames) {
        Frame frame = m_scene.shown().frames.at(id);
        frame.place = {frame.place.x + shift.x(), frame.place.y + shift.y()};
        show(frame);
    }
    m_scene.placeWires(&moved.nodes);
}

void MovePreview::show(const Frame& frame)
{
    if (FrameItem* item = m_scene.frame(frame.id))
        item->setFrame(frame);
    m_frames[frame.id] = frame;
}

void MovePreview::commit(const std::optional<Insertion>& into)
{
    auto places = std::move(m_places);
    auto frames = std::move(m_frames);
    forget();
    std::erase_if(places,
                  [this](const auto& entry) { return m_scene.shown().find(entry.first)->place == entry.second; });
    std::erase_if(frames, [this](const auto& entry) { return m_scene.shown().frames.at(entry.first) == entry.second; });
    if (!into || places.empty())
        return commitMoved(std::move(places), frames);
    const NodeId first = places.begin()->first;
    const NodeExtents extents = m_scene.nodeExtents();
    for (const auto& [id, place] :
         makeRoom(m_scene.shown(), extents, into->wire, first, extents.at(first), places.begin()->second))
        places[id] = place;
    if (!m_scene.apply(edits::sequence("Insert " + m_scene.shown().find(first)->name,
                                       {edits::moveNodes(std::move(places)),
                                        edits::connect({into->wire.from, {first, into->input}}),
                                        edits::connect({{first, into->output}, into->wire.to})})))
        m_scene.synchronise();
}

void MovePreview::commitMoved(std::map<NodeId, Place> places, const std::map<FrameId, Frame>& frames)
{
    if (places.empty() && frames.empty())
        return;
    const bool resizes = places.empty() && frames.size() == 1 && [&] {
        const Frame &now = frames.begin()->second, &before = m_scene.shown().frames.at(now.id);
        return now.width != before.width || now.height != before.height;
    }();
    GraphEdit edit = edits::moveNodes(std::move(places));
    if (!frames.empty()) {
        std::vector<GraphEdit> parts{std::move(edit)};
        for (const auto& [id, frame] : frames)
            parts.push_back(edits::setFrame(frame));
        edit = edits::sequence(resizes ? "Resize comment" : "Move comment", std::move(parts));
    }
    if (!m_scene.apply(std::move(edit)))
        m_scene.synchronise();
}

void MovePreview::cancel()
{
    if (!m_places.empty() || !m_frames.empty())
        m_scene.synchronise();
}

void MovePreview::forget()
{
    m_places.clear();
    m_frames.clear();
}

void MovePreview::nudge(const QPointF& offset)
{
    const Moved moved = movedAlong();
    std::map<NodeId, Place> places;
    for (const NodeId id : moved.nodes) {
        const Place& place = m_scene.shown().find(id)->place;
        places[id] = {place.x + offset.x(), place.y + offset.y()};
    }
    if (moved.frames.empty()) {
        if (!places.empty())
            m_scene.apply(edits::moveNodes(std::move(places)), Document::Edit::Typing);
        return;
    }
    std::vector<GraphEdit> parts{edits::moveNodes(std::move(places))};
    std::string key = "nudge";
    for (const FrameId id : moved.frames) {
        Frame frame = m_scene.shown().frames.at(id);
        frame.place = {frame.place.x + offset.x(), frame.place.y + offset.y()};
        parts.push_back(edits::setFrame(frame));
        key += '/' + std::to_string(id);
    }
    GraphEdit edit = edits::sequence("Move comment", std::move(parts));
    edit.mergeKey = key;
    m_scene.apply(std::move(edit), Document::Edit::Typing);
}

MovePreview::Moved MovePreview::movedAlong() const
{
    const Picked what = m_scene.picked();
    Moved moved{what.nodes, what.frames};
    for (const FrameId id : what.frames) {
        const Frame& frame = m_scene.shown().frames.at(id);
        const QRectF area(frame.place.x, frame.place.y, frame.width, frame.height);
        for (const NodeItem* item : m_scene.nodeItems())
            if (holds(frame, item->geometry().body().translated(pointOf(m_scene.shown().find(item->id())->place))))
                moved.nodes.insert(item->id());
        for (const auto& [other, inner] : m_scene.shown().frames)
            if (area.contains(QRectF(inner.place.x, inner.place.y, inner.width, inner.height)))
                moved.frames.insert(other);
    }
    return moved;
}

} // namespace unroll
