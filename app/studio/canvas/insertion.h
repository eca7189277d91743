// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"
#include "core/check/ports.h"
#include "core/graph/graph.h"

#include <QRectF>
#include <optional>

namespace unroll {

class GraphScene;

/// A wire that a node would be put into, and the ports of the node that would take its two halves.
struct Insertion {
    Wire wire;
    std::string input;
    std::string output;
};

/// The port that a wire of this type joins: the first required one, else the first. nullptr: none is of the type.
const PortSpec* joiningPort(const std::vector<PortSpec>& ports, PortType type);

/// The wire of the scene that runs through `area` and that a node with these ports can be put into.
std::optional<Insertion> insertionAt(const GraphScene& scene, const NodePorts& ports, const QRectF& area);

/// The same for a node of the scene as it lies now; only one without any wire is put in.
std::optional<Insertion> insertionUnder(const GraphScene& scene, NodeId node);

} // namespace unroll
