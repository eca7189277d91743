// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/run/start_run.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll::test {

/// What a scripted run was told, and what it shall do. Shared by the test and the run.
struct Script {
    std::vector<std::string> commands;
    std::vector<LensQuery> open;        ///< as it was asked last
    std::vector<WatchedSignal> watched; ///< the signals that these need
    ReadingRequest reading;             ///< as it was told last
    std::vector<double> learningRates;
    std::vector<Experiment> started;
    std::vector<SessionOptions> options; ///< of each that was started
    WeightReport report;                 ///< what a run says that begins with another one's weights
    std::string notKept;                 ///< why a run gives none
    std::string notOpened;               ///< why a run from the disk cannot be viewed
    RunMeasures measures{"nats/token", "character", 5000, 2000, 76800}; ///< of runs that begin
    std::optional<Fix> fix;                                             ///< of the problem that ends it
    std::string runFolder;                                              ///< where a run says it is written
    std::vector<std::string> log;                                       ///< what it noted
    std::int64_t stepsAPoll = 7;
    std::int64_t failAt = -1;      ///< the step at which the loss is not a number
    std::int64_t missingCells = 0; ///< NaN in every snapshot
    /// Answers queries in place of the scripted snapshot; empty: that is what they are answered from.
    std::function<std::vector<std::shared_ptr<const LensFrame>>(const std::vector<LensQuery>&)> answers;
    bool failsToBuild = false; ///< failed before there is a model
    bool looksRarely = false;  ///< while it trains: never; where it rests as ever
    bool slowToStop = false;   ///< stop() takes effect at `released`
    bool released = false;

    bool wasTold(const std::string& command) const;
};

/// Runs that move on by the poll, with a loss that falls and a state that is a known wave: no thread, no torch.
StartRun scriptedRuns(std::shared_ptr<Script> script);

/// The value a scripted snapshot shows: within -1..1.
float scriptedSignal(std::int64_t step, std::int64_t time, std::int64_t unit);
/// The probability that it gives the character after this step.
double scriptedProbability(std::int64_t time);

} // namespace unroll::test
