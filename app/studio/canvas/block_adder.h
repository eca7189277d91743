// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/insertion.h"
#include "app/studio/canvas/node_face.h"
#include "core/check/wiring.h"

namespace unroll {

/// Adds nodes of a block to the graph that a scene shows, and says how they would lie there.
class BlockAdder {
public:
    explicit BlockAdder(GraphScene& scene) : m_scene(scene) {}

    /// A new node with its top left corner at `at`, selected. With an end it stands so that its port is there, and is
    /// wired; with an insertion it goes into that wire, and its neighbours make room.
    void add(const std::string& block, const QPointF& at, const Params& params = {});
    void add(const std::string& block, const QPointF& at, const WireEnd& end);
    void add(const std::string& block, const QPointF& at, const Insertion& into);

    /// What a new node covers with its top left corner at `at`, on the grid.
    QRectF bodyOf(const std::string& block, const QPointF& at) const;
    /// A top left corner for it at `at`, or further down where other nodes stand there.
    QPointF freePlace(const std::string& block, const QPointF& at) const;
    /// How it would go into this wire; nothing where its ports do not fit.
    std::optional<Insertion> insertionInto(const std::string& block, const Wire& wire) const;
    /// The wire that it would go into, with its top left corner at `at`.
    std::optional<Insertion> insertionOf(const std::string& block, const QPointF& at) const;

private:
    Node newNode(const std::string& block, const QPointF& at) const;
    NodeFace faceOf(const Node& node) const;

    GraphScene& m_scene;
};

} // namespace unroll
