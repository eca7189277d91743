// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/frames/kept_frame.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll::cli {

/// A frame that is wished for.
struct KeptWish {
    std::string run;
    std::string lens; ///< LensSpec::id
    std::string node, signal;
    std::vector<std::string> settings; ///< NAME=VALUE; none: whatever they are
    std::int64_t update = 0;
};

/// What is kept of a run on stdout: a line for each query, or JSON. Errors: it is not a run.
Result<void> sayKept(const std::string& run, bool json);

/// The frame nearest to the update, of the one query that the wish fits. Errors list what is kept.
Result<KeptFrame> keptFrame(const KeptWish& wish);
/// Small multiples over all updates, in the place of the newest frame's figure; the wish's update does not matter.
/// Errors likewise.
Result<KeptFrame> keptStrip(const KeptWish& wish);

/// The queries that "NAME[:NODE.SIGNAL]" asks for, each once; NODE may hold dots. Errors name the lens, or list the
/// signals that there are.
Result<std::vector<LensQuery>> lensesToKeep(const std::vector<std::string>& words, const Graph& graph,
                                            const BlockRegistry& registry);

} // namespace unroll::cli
