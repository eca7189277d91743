// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"

#include <QByteArray>
#include <QString>
#include <optional>
#include <vector>

namespace unroll {

/// What stands in every step of a node that is drawn over time: the cell itself, or a node inside a group.
struct UnrolledCell {
    QString name;
    Category category = Category::Layer;
    QByteArray glyph;
    QString state;              ///< what it hands on to the next step: "h, c"; empty: nothing
    bool isBothWays = false;    ///< it also reads the sequence from its end
    bool isBackward = false;    ///< between two nodes that reverse time: its state goes to the step before
    std::int64_t copies = 1;    ///< of a repeated group
    bool isUnreachable = false; ///< in a loop without a delay: the check refuses it

    bool operator==(const UnrolledCell&) const = default;
};

/// What one cell reads of another, at the same step or, through a delay, one step later.
struct UnrolledLink {
    static constexpr int kInput = -1;  ///< as `from`: x, what the node reads
    static constexpr int kOutput = -2; ///< as `to`: y, what it gives
    int from = kInput;                 ///< index of a cell
    int to = kOutput;
    QString delay; ///< name of the delay between them; empty: the same step

    bool operator==(const UnrolledLink&) const = default;
};

/// A node that carries state, as it is at one step and from each step to the next. Plain values.
struct Unrolled {
    QString name;
    QString kind; ///< title of the block
    bool isGroup = false;
    std::int64_t copies = 1;
    std::vector<UnrolledCell> cells; ///< from the input to the output
    std::vector<UnrolledLink> links; ///< per step: what goes once for the whole sequence (states, masks) has none

    bool operator==(const Unrolled&) const = default;
};

/// What stands on the arrow from step to step: "h, c", or "state" where the parts have long names.
QString stateWord(const BlockSpec& spec);

/// Whether the node, or one inside it, hands something on from step to step.
bool carriesState(const Node& node, const BlockRegistry& registry);

/// `checked` is the check's view of the node; nullptr before it has one: then parameters are those of the document.
/// Nothing: the node carries no state.
std::optional<Unrolled> unrolled(const Node& node, const BlockRegistry& registry, const CheckedNode* checked);

} // namespace unroll
