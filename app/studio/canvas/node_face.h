// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"

#include <QString>
#include <vector>

namespace unroll {

/// A port as a node shows it.
struct PortFace {
    std::string name;
    PortType type = PortType::Sequence;
    bool wired = false;
    QString help;
    QString outer; ///< inside a group: by what name the group shows this port outside; empty where it does not

    /// It has its wire, here or outside the group.
    bool isTaken() const { return wired || !outer.isEmpty(); }
    bool operator==(const PortFace&) const = default;
};

/// Content of a node's picture, as text and flags: computed from the document, the spec and the check, and recomputed
/// when they change. The item that draws it knows nothing else.
struct NodeFace {
    QString name;    ///< "lstm_2"
    QString title;   ///< "LSTM"; empty where it would repeat the name
    QString summary; ///< "units 256 · bidirectional"
    QString weights; ///< "526,336 parameters"
    Category category = Category::Layer;
    QByteArray glyph; ///< the block's icon
    std::vector<PortFace> inputs;
    std::vector<PortFace> outputs;
    std::optional<Severity> severity; ///< of the worst diagnostic
    QString problem;                  ///< the sentences behind the badge
    QString help;                     ///< one sentence: what the block is
    std::int64_t repeat = 1;
    bool isGroup = false;
    bool isUnknown = false; ///< no such block in this version
    bool isWatched = false; ///< a heat map shows it
    bool isStale = false;   ///< differs from what the run in progress trains

    bool operator==(const NodeFace&) const = default;
};

/// `checked` is the check's view of the node; nullptr before it has one. `around` is the group whose inside the graph
/// is; nullptr: it is the top one. Watched and stale are left false.
NodeFace nodeFace(const Node& node, const Graph& graph, const Group* around, const BlockRegistry& registry,
                  const CheckedNode* checked, const std::vector<const Diagnostic*>& diagnostics);

/// What a port is, and where it leads: the words under the cursor.
QString portTip(const PortFace& port, bool isOutput);

} // namespace unroll
