// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/insertion.h"

#include <map>
#include <set>

namespace unroll {

/// Moves what is selected, with the nodes and comments that lie in selected comments. Between press and release of a
/// drag they are shown elsewhere than the document has them, and at no other time.
class MovePreview {
public:
    explicit MovePreview(GraphScene& scene) : m_scene(scene) {}

    /// Shows it moved by this much; `anchor`, a place that moves along, is snapped to the grid unless `free`.
    void show(const QPointF& anchor, const QPointF& offset, bool free);
    void show(const Frame& frame); ///< a comment of another place and size
    /// One step, apart from what came before and what follows; with an insertion the node that was moved goes into that
    /// wire.
    void commit(const std::optional<Insertion>& into = {});
    void cancel();
    void forget(); ///< the items stand where the document has them

    void nudge(const QPointF& offset); ///< in the document at once; nudges in turn are one step

private:
    struct Moved {
        std::set<NodeId> nodes;
        std::set<FrameId> frames;
    };
    Moved movedAlong() const;
    void commitMoved(std::map<NodeId, Place> places, const std::map<FrameId, Frame>& frames);

    GraphScene& m_scene;
    std::map<NodeId, Place> m_places;  ///< where nodes are shown; empty when no drag is in progress
    std::map<FrameId, Frame> m_frames; ///< likewise comments
};

} // namespace unroll
