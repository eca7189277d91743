// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/train/trained_run.h"

#include <filesystem>

namespace unroll {

/// Writes golden.safetensors: inputs, and what our model makes of them in double and in single precision, so that
/// another library can verify that it computes the same. Two chunks of three sequences, the second going on with the
/// states of the first, shorter, and padded where the graph reads a mask. Names: "0.tokens" (or features, see
/// ModelPorts), "0.targets", "1.mask"; "fp64.0.loss", "fp32.1.logits", "fp64.1.state.<node>.<part>"; where the model
/// rounds, "fp32.0.rounded" is RoundingRecord::nearMiddle(), where it chooses, "fp32.0.chosen" is nearTies(). The
/// inputs are a pure function of the run's seed.
Result<void> writeGolden(const TrainedRun& run, const BlockRegistry& registry, const Builders& builders,
                         const std::filesystem::path& path);

} // namespace unroll
