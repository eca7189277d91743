// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/run_parts.h"
#include "core/session/run_report.h"
#include "core/session/session.h"

#include <cstdint>
#include <string>

namespace unroll {

/// A run's weights, moments and progress: into its folder, back from there, and as a copy in memory. Which step is on
/// disk stands in Snapshot::checkpointed.
class Checkpointing {
public:
    /// All must outlive it.
    Checkpointing(const Experiment& experiment, const SessionOptions& options, RunParts& parts, RunReport& report);

    /// The step that is done, unless it is on disk already or nothing is written. Rows go before it, so that a run that
    /// goes on from here has the row of its last step. Weights must be finite; what a disk refuses is told once.
    /// With ranks all call it together, and rank 0 writes.
    void save();
    /// Of ranks that have lost one another: rank 0 alone writes, unless states of all ranks' sequences would be in it.
    void saveAlone();
    /// Model and trainer as the first of the checkpoints has them that can be read. Those before it that are damaged
    /// are noted; one of another model ends the search. Where all are damaged, the error is that of the first.
    Result<RunProgress> read(const std::vector<CheckpointPlace>& places);
    /// A copy of the weights in the view, or why there is none: the answer stands there whatever happens on the way.
    void keepWeights();
    /// "; the checkpoint of step 200 was kept", or nothing.
    std::string keptText() const;

private:
    RunProgress progress() const;
    bool isDue() const;
    void saveAs(const TrainerState& state);
    Result<void> write(RunCheckpoints& checkpoints, const TrainerState& state);

    const Experiment& m_experiment;
    const SessionOptions& m_options;
    RunParts& m_parts;
    RunReport& m_report;
};

} // namespace unroll
