// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/experiment_options.h"
#include "app/cli/piped_data.h"

#include "core/runs/run_summary.h"
#include "core/session/session.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll::cli {

/// The words of `train`.
struct TrainVerbOptions {
    std::string file;
    ExperimentOptions experiment;
    std::string init;
    std::string run;
    std::optional<std::string> resume; ///< --resume: empty, auto, or the run's folder
    std::string schedule;
    std::vector<std::string> tags;
    std::vector<std::string> keepLenses; ///< "state:lstm.h"
    std::string trial;                   ///< a JSON object
    std::optional<std::int64_t> parent;  ///< id of the process whose end ends the training
    bool lenses = false;                 ///< keep what lenses say over training
    std::int64_t lensesEvery = 0;        ///< likewise at every so many updates; 0: as the budget allows
    std::string on;                      ///< a host line: trained there
    std::optional<double> rankTimeout;   ///< seconds; of ranks that train together
    bool json = false;
    bool quiet = false;
};

/// What is wrong with the words of the command; empty: nothing.
std::string usageFault(const TrainVerbOptions& options);

/// What a command comes down to.
struct TrainStart {
    Experiment experiment;
    SessionOptions session;
    PipedFiles piped;
    std::optional<RunSummary> complete; ///< the run has done all its steps: there is nothing to do
    std::vector<LensQuery> keep;        ///< what lenses show of these is kept
    std::vector<std::string> notes;

    bool leads() const { return !session.ranks || session.ranks->rank == 0; } ///< and speaks for the run
};

/// Begins a run, goes on with one, or decides which by what is in the folder (--resume=auto): a checkpoint is gone on
/// from, what ended before its first checkpoint begins again.
Result<TrainStart> startOf(TrainVerbOptions options, const BlockRegistry& registry);

} // namespace unroll::cli
