// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/diagnostic.h"
#include "core/block/registry.h"
#include "core/graph/graph.h"

#include <optional>
#include <set>

namespace unroll {

/// A port, from which or to which somebody is drawing a wire.
struct WireEnd {
    PortRef port;
    bool isOutput = false;

    bool operator==(const WireEnd&) const = default;
};

/// The port's type; nothing where the node has no such port.
std::optional<PortType> typeOf(const Graph& graph, const BlockRegistry& registry, const WireEnd& end);

/// Every port that may be the other end: of the same type, the other way round, and no cycle comes of it. Wires that
/// end there count as replaced, and so does `moved`, which is being drawn again.
std::set<PortRef> wirePartners(const Graph& graph, const BlockRegistry& registry, const WireEnd& end,
                               const Wire* moved = nullptr);

/// Why a wire may not be, where the types at its ends differ or a cycle comes of it. The fix, if there is one, makes
/// the wire too: its edit applies to `graph` as it stands. Faults of other kinds (widths) are the check's: a wire may
/// have them.
std::optional<Diagnostic> wireFault(const Graph& graph, const BlockRegistry& registry, const Wire& wire);

/// The wire between an end and a port of the other kind.
Wire wireBetween(const WireEnd& end, const PortRef& partner);

} // namespace unroll
