// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/experiment/experiment.h"
#include "core/runs/environment.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// What a run was made of.
struct RunSettings {
    Experiment experiment;
    RunEnvironment environment;
};

/// Errors: no run here, or one that cannot be read.
Result<RunSettings> readRunSettings(const std::filesystem::path& run);

/// One thing that two runs have set otherwise, each as its file says it; nothing: it is not there in that run.
struct RunDifference {
    /// As `--set` names it where it can be set: "training.learning_rate", "gru_1.units", "group_1.dense_1.units".
    std::string place;
    std::optional<std::string> first;
    std::optional<std::string> second;

    bool operator==(const RunDifference&) const = default;
};

/// All that counts for what is trained, and what it was trained on: title, seed, training settings, blocks, their
/// parameters (defaults filled in), groups and wires; then data, device and versions. Nodes are the same by their path,
/// or by id and block where one was renamed. Where things stand on the canvas does not matter, nor does where a data
/// path is written from.
std::vector<RunDifference> differencesOf(const RunSettings& first, const RunSettings& second,
                                         const BlockRegistry& registry);

} // namespace unroll
