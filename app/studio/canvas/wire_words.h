// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/edit.h"
#include "core/graph/graph.h"

#include <QString>
#include <map>
#include <string>
#include <vector>

namespace unroll {

class NodeItem;
class WireItem;

/// What is written on the wires of an output in place of the shape.
struct WireWords {
    QString text;
    QString tip;
    bool pale = false; ///< it is not of now

    bool operator==(const WireWords&) const = default;
};

/// Each wire's words beside it or on it, where they cover neither a node nor other words; where there is no such place
/// they are left out. Wires of outputs without words have their shapes.
void writeWords(const std::map<Wire, WireItem*>& wires, const std::map<NodeId, NodeItem*>& nodes,
                const std::map<PortRef, WireWords>& words);

/// An output of a block in a built model.
struct OutputPlace {
    std::string node; ///< its path, dots in groups, copies numbered from 1
    std::string port;

    bool operator==(const OutputPlace&) const = default;
    auto operator<=>(const OutputPlace&) const = default;
};

/// Where the values of this output of the graph at `level` are made: one place for each copy of the groups around it,
/// in their order, `most` at most. Of a group the place within it, of a repeated one within its last copy. Empty: there
/// is no such output.
std::vector<OutputPlace> outputPlaces(const Graph& top, const GroupPath& level, const PortRef& output,
                                      std::size_t most = 1000);

} // namespace unroll
