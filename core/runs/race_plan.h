// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/registry.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/experiment.h"
#include "core/experiment/match_width.h"
#include "core/runs/race.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace unroll {

/// What a race is asked to be.
struct RaceWish {
    std::string experiment; ///< as it was named
    std::string node;
    std::vector<std::string> blocks; ///< "gru", "mru:num_heads=4"
    std::string match;
    double tolerance = kMatchTolerance; ///< of what is matched, a part of the target
    std::int64_t seeds = 1;
    std::int64_t steps = 0;  ///< of each run; 0: the experiment's
    std::int64_t tokens = 0; ///< of training in all, in place of steps; 0: as steps say
    double seconds = 0;
    std::int64_t threads = 0; ///< of each run; 0: those of the race that is there, else coresEach
    std::int64_t coresEach = 1;
};

using CheckLane = std::function<CheckedGraph(const Experiment&)>;

/// What `match` makes equal in a race of this experiment, 0 where nothing is matched. The error says why it cannot be.
Result<double> raceTarget(const std::string& match, const Experiment& experiment, const CheckedGraph& checked);
/// The experiment with the wished block ("gru", "mru:num_heads=4") at `node`. The error says what of the wish is not
/// there.
Result<Experiment> wishedExperiment(const Experiment& experiment, const BlockRegistry& registry,
                                    const std::string& node, const std::string& wish);
/// Likewise, as wide as `match` asks for. The error says also why it cannot be.
Result<MatchedWidth> wishedLane(const Experiment& experiment, const BlockRegistry& registry, const CheckLane& check,
                                const std::string& node, const std::string& wish, const std::string& match,
                                double target, double tolerance = kMatchTolerance);
RaceLane sizedLane(const MatchedWidth& matched); ///< what was solved and how large it is
/// Why a checked graph cannot be trained: its first mistake.
std::string firstFault(const CheckedGraph& checked);

struct RacePlan {
    Race race;
    std::map<std::string, Experiment> lanes; ///< by the lane's name, of those that were wished
};

/// Solves the width of every lane; one that cannot be matched is refused in words, and the others stay. Of a race that
/// is in `folder` already lanes and seeds are kept and may be added; the error says what else differs.
Result<RacePlan> planRace(const RaceWish& wish, const Experiment& experiment, const BlockRegistry& registry,
                          DataCache& data, const std::filesystem::path& folder);

/// race.json and the lanes' experiments; what is there stays.
Result<void> saveRace(const RacePlan& plan, const std::filesystem::path& folder);

} // namespace unroll
