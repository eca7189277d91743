// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/race.h"
#include "core/runs/run_state.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// What was logged at a step of a run, as far as a race tells it; not a number where it was not measured. Losses in the
/// unit of the run.
struct RaceSample {
    std::int64_t step = 0;
    std::int64_t tokens = 0;
    double seconds = 0;
    double train = std::numeric_limits<double>::quiet_NaN();
    double validation = std::numeric_limits<double>::quiet_NaN();
    double accuracy = std::numeric_limits<double>::quiet_NaN(); ///< of the validation
};

/// One seed of a lane: what its folder holds so far.
struct RaceRun {
    std::uint64_t seed = 0;
    std::filesystem::path folder;
    RunState state = RunState::Idle; ///< Idle: not started
    bool isDone = false;             ///< nothing is left to train: it has come to its end, or diverged
    std::string failure;
    std::string trouble;  ///< why figures are missing
    std::string lossUnit; ///< "nats/token"; empty: not known
    std::vector<RaceSample> samples;
    /// Of the whole validation split, or of all that was evaluated last; nothing where it was not measured.
    std::optional<double> loss, accuracy, best;
    double memory = 0; ///< bytes, the most that its process had; 0: not known
};

struct RaceLaneResults {
    RaceLane lane;
    std::vector<RaceRun> runs; ///< a seed each, in the order of Race::seeds
};

/// A race as its folder is now.
struct RaceResults {
    std::filesystem::path folder;
    Race race;
    std::vector<RaceLaneResults> lanes;

    std::size_t runCount() const { return (race.lanes.size() - race.refusedCount()) * race.seeds.size(); }
    std::size_t doneCount() const;
};

/// Reads a folder again and again: runs that have ended are read once.
class RaceReading {
public:
    explicit RaceReading(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// The error says why there is no race. Runs that are foreign or half written say so in `trouble`.
    Result<RaceResults> read();

private:
    struct Known {
        std::filesystem::file_time_type changed{};
        std::uintmax_t bytes = 0;
        RaceRun run;
    };
    RaceRun readRun(const Race& race, const RaceLane& lane, std::uint64_t seed);

    std::filesystem::path m_folder;
    std::vector<Known> m_ended; ///< by folder
};

/// One line of the table: means over the seeds whose runs are done and did not diverge.
struct RaceRow {
    std::string lane;
    std::string wish;
    std::string width; ///< RaceLane::width
    std::int64_t parameters = 0;
    double flops = 0;
    double state = 0;
    std::size_t done = 0, diverged = 0, runs = 0;
    std::optional<double> loss, low, high; ///< low, high: the interval of the mean; of two seeds and more
    std::optional<double> bits;            ///< a token, where the loss is in nats
    std::optional<double> best, accuracy, tokensPerSecond, memory, seconds;
    std::string lossUnit;
    std::string refused; ///< why the lane takes no part; empty: it does
};

RaceRow raceRow(const RaceLaneResults& lane);
/// Best first; lanes without a loss, then those that were refused, in the race's order.
std::vector<RaceRow> raceRows(const RaceResults& results);

} // namespace unroll
