// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/run_parts.h"
#include "core/session/session.h"

#include <memory>
#include <string>

namespace unroll {

/// Meets the other ranks of this run; null where it trains alone. An error: they did not come, or the batch cannot be
/// shared among them.
Result<std::unique_ptr<Ranks>> joinRanks(const SessionOptions& options, const TrainSettings& training,
                                         const std::string& device);

/// The device of a rank whose wish leaves it open: the GPU of its number on the machine.
Result<std::string> deviceOfRank(const SessionOptions& options, const std::string& wish, const std::string& opened);

/// Whether all ranks are about to train the same: experiment, data, step and weights. A process alone asks nobody.
Result<void> demandSameRun(const RunParts& parts, const Experiment& experiment);

} // namespace unroll
