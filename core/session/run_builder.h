// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/runs/run_folder.h"
#include "core/session/checkpointing.h"
#include "core/session/run_parts.h"
#include "core/session/run_report.h"
#include "core/session/session.h"
#include "core/train/describe_run.h"

#include <optional>
#include <string>

namespace unroll {

/// Makes a run's parts: device, data (those that the window has open, see SessionOptions::data), model, initial
/// weights, run folder; those of an earlier run where it is resumed or examined.
class RunBuilder {
public:
    /// All must outlive the builder. `experiment` gets its threads resolved, kept weights are taken out of `options`.
    RunBuilder(Experiment& experiment, const BlockRegistry& registry, const Builders& builders, SessionOptions& options,
               RunParts& parts, RunReport& report, Checkpointing& checkpoints);

    /// An error: the parts are not whole, and the report has its problems where they belong to a node.
    Result<void> build();

private:
    Result<std::string> openMachine();
    Result<void> openEarlier();
    void setThreads();
    Result<CheckedGraph> checkAll(const std::string& device);
    Result<void> buildModel(const CheckedGraph& checked, const std::string& device);
    Result<void> loadInitialWeights();
    void noteInitialWeights(WeightReport report, const std::string& origin, const std::string& there);
    Result<Machine> chooseMachine(const std::string& device);
    Result<void> openRunFolder(const Machine& machine);
    Result<void> resume(const RunEnvironment& environment);
    Result<RunProgress> readEarlier();
    void noteChanges(const RunEnvironment& environment);
    void continueSchedule(const RunProgress& progress);
    void describeRun(const std::string& device);

    Experiment& m_experiment;
    const BlockRegistry& m_registry;
    const Builders& m_builders;
    SessionOptions& m_options;
    RunParts& m_parts;
    RunReport& m_report;
    Checkpointing& m_checkpoints;
    std::optional<RunFolder> m_earlier; ///< the run that is resumed, until it is written again, or that has ended
};

} // namespace unroll
