// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/experiment/match_width.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace unroll {

/// One block, or one setting of it, among those compared: an experiment of its own, and a run a seed. One that cannot
/// be matched has neither: `refused` says why.
struct RaceLane {
    std::string name;       ///< "gru", "mru-2": of its file and its runs
    std::string wish;       ///< as it was asked for: "mru:num_heads=4"
    std::string param;      ///< the parameter that was solved; empty: the size was right as it is
    std::int64_t value = 0; ///< of it
    double error = 0;       ///< of the matched size, as a part of the target
    std::int64_t parameters = 0;
    double flops = 0;         ///< a token, forward and backward
    double state = 0;         ///< numbers carried from step to step, a sequence
    std::string refused = {}; ///< why it takes no part; empty: it does

    std::string file() const { return "lanes/" + name + ".unroll"; } ///< within the race's folder
    std::string run(std::uint64_t seed) const;                       ///< likewise: runs/gru-seed-1
    std::string width() const; ///< what was solved: "units = 96", "as it is", "cannot match"
    bool operator==(const RaceLane&) const = default;
};

/// Blocks compared on equal terms: what race.json in the race's folder holds. Each lane's runs are ordinary folders.
struct Race {
    std::string experiment;             ///< as it was named
    std::string node;                   ///< whose block differs; its path, dots in groups
    std::string match;                  ///< "parameters", "flops", "state" or "none"
    double target = 0;                  ///< of it; 0: none
    double tolerance = kMatchTolerance; ///< of it, a part of the target
    std::int64_t steps = 0;
    double seconds = 0;       ///< of training, after which a run stops; 0: never
    std::int64_t threads = 0; ///< of each run
    std::int64_t tokens = 0;  ///< of a step
    std::vector<std::uint64_t> seeds;
    std::vector<RaceLane> lanes;

    const RaceLane* lane(const std::string& wish, std::size_t nth) const; ///< the nth (from 0) of this wish
    /// Lanes that take no part.
    std::size_t refusedCount() const;
    bool operator==(const Race&) const = default;
};

/// Figures that are not matched and that differ more than this between lanes make the comparison unequal.
inline constexpr double kUnequal = 4;
/// A sentence for each of parameters, FLOPs a token and state values that differ so.
std::vector<std::string> raceWarnings(const Race& race);
/// What the width of a frame means, where a lane has one; else empty.
std::string frameNote(const Race& race);

inline constexpr const char* kRaceFile = "race.json";

Json raceToJson(const Race& race);
Result<Race> raceFromJson(const Json& json, const std::string& source);
Result<Race> readRace(const std::filesystem::path& folder);
/// Whole or not at all.
Result<void> writeRace(const Race& race, const std::filesystem::path& folder);

/// A name for another lane: the block, with a number where it is taken.
std::string freeLaneName(const Race& race, const std::string& block);

} // namespace unroll
