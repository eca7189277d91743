// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/ports.h"
#include "core/graph/graph.h"

#include <QRectF>
#include <optional>

namespace unroll {

class GraphScene;
class WireItem;

/// A wire that a node would be put into, and the ports of the node that would take its two halves.
struct Insertion {
    Wire wire;
    std::string input;
    std::string output;
};

/// The part of a node's body that has to lie on a wire: one that merely touches it leaves the node out.
QRectF insertionArea(const QRectF& body);

/// How a node with these ports goes into the wire; nothing where they do not fit.
std::optional<Insertion> insertionInto(const NodePorts& ports, const WireItem& wire);

/// The wire of the scene that runs through `area` and that a node with these ports can be put into.
std::optional<Insertion> insertionAt(const GraphScene& scene, const NodePorts& ports, const QRectF& area);

/// The same for a node of the scene as it lies now; only one without any wire is put in.
std::optional<Insertion> insertionUnder(const GraphScene& scene, NodeId node);

} // namespace unroll
