// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/experiment/experiment.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace unroll::cli {

/// What the command line changes in an experiment.
struct ExperimentOptions {
    std::string data;
    std::optional<std::int64_t> steps;
    std::optional<std::uint64_t> seed;
    std::string device;
    std::optional<std::int64_t> threads;
    std::vector<std::string> assignments;
};

/// --data and --set; with `training` also --steps, --seed, --device and --threads.
void addExperimentOptions(CLI::App& verb, ExperimentOptions& options, bool training);

/// The experiment with the changes made. Errors name the option's text.
Result<Experiment> adjusted(Experiment experiment, const BlockRegistry& registry, const ExperimentOptions& options);

/// The experiment a user means by a path or a gallery name; "-" reads stdin.
Result<Experiment> readExperiment(const std::string& pathOrName);

} // namespace unroll::cli
