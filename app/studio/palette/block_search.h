// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"

#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

namespace unroll {

/// A block that answers to a query.
struct BlockMatch {
    const BlockSpec* spec = nullptr;
    std::vector<int> letters; ///< characters of the title that were asked for, ascending
    QString synonym;          ///< the other name that was meant, where the title tells nothing of it
    bool isRecent = false;
};

/// Which blocks come into question; empty: all.
using BlockFilter = std::function<bool(const BlockSpec&)>;

/// The blocks that answer to every word of the query, best first: by id and title, by synonym, and weakest by category
/// and summary. A word is looked for as a whole, as a beginning, inside, and as letters in their order ("lnm": Layer
/// norm); case does not matter.
/// An empty query asks for all: the recent ones in their order, then the others by category and title. Blocks without a
/// port of their own (a group's come from inside) are left out. The same arguments give the same order; the registry
/// must outlive the matches.
std::vector<BlockMatch> searchBlocks(const BlockRegistry& registry, const QString& query, const QStringList& recent,
                                     const BlockFilter& fits = {});

/// The fixed end of a wire while the other end is being placed.
struct HeldEnd {
    PortType type = PortType::Sequence;
    bool isOutput = true; ///< an output, to be connected to an input; else vice versa
};

/// The port that the wire would join: the first required one of the same type, as the check demands, else the first
/// optional one; nullptr where none fits.
const PortSpec* fittingPort(const BlockSpec& spec, const HeldEnd& held);
/// The blocks that have such a port.
BlockFilter fitting(const HeldEnd& held);

} // namespace unroll
