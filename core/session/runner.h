// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/probe.h"
#include "core/session/mailbox.h"
#include "core/session/session.h"
#include "core/session/stopwatch.h"
#include "core/train/checkpoint.h"
#include "core/train/run_folder.h"
#include "core/train/sampler.h"
#include "core/train/trainer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

/// One run: builds it, drives the trainer, answers commands, publishes what viewers see. Lives on the worker thread alone; everything of torch
/// is made and freed there.
class Runner {
public:
    /// What breaks off work that takes long.
    struct Hurry {
        std::stop_token run;     ///< training is to end
        std::stop_token session; ///< all is to end: nothing more can be asked of the model
    };

    /// `metrics` and `box` are the ways out and must outlive the runner.
    Runner(Experiment experiment, const BlockRegistry& registry, Builders builders, SessionOptions options,
           MetricQueue& metrics, SnapshotBox& box, Hurry hurry);
    ~Runner();

    /// Data, device, model, run folder; resumes where asked. A failure ends the run with words.
    void build();
    /// One update with all that is due after it. Called while wantsWork().
    void advance();
    bool wantsWork() const { return m_state == RunState::Running; }
    /// Checkpoints what is not on disk yet, for a window that closes.
    void close();

    /// These two also go on with a run that has ended, where Snapshot::canGoOn; `hurry` is that of Hurry::run from then on.
    void run(std::stop_token hurry);
    void step(std::int64_t count, std::stop_token hurry); ///< also beyond the steps that were planned
    void pause();
    void stop();
    void setLearningRate(double peak);
    void ask(std::vector<LensQuery> open);
    void setProbeText(const std::string& text);
    void look();
    void sample(const SampleRequest& request);
    void checkpoint();
    void keepWeights();
    void folderMoved(const std::string& folder);

    /// An exception reached the top of the worker: the run ends, the node that ran is named.
    void fail(const std::string& what, const std::string& code);
    /// Before that: takes back an update that was not brought to its end and checkpoints. Throws what torch throws.
    void rescue();

private:
    Result<void> prepare();
    void openEnded();
    void giveUpEnded(const std::string& reason);
    Result<void> openEarlier();
    Result<CheckedGraph> checkAll(const std::string& device);
    Result<void> buildModel(const CheckedGraph& checked, const std::string& device);
    Result<void> loadInitialWeights();
    void noteInitialWeights(WeightReport report, const std::string& origin, const std::string& there);
    Result<void> openRunFolder(const Machine& machine);
    Result<void> resume(const RunEnvironment& environment);
    Result<RunProgress> readEarlier();
    Result<RunProgress> readNewest(const RunCheckpoints& checkpoints);
    void noteChanges(const RunEnvironment& environment);
    void continueSchedule(const RunProgress& progress);
    void takeFolder(RunFolder folder);
    void describeRun(const std::string& device);
    void takeProbeText(const std::string& text);

    bool mayTrain() const;
    void train(std::int64_t count, std::stop_token hurry);
    bool isLast() const { return m_trainer->stepsDone() == m_experiment.training.steps; }
    bool update();
    bool readReports();
    void addRow(const StepReport& report, std::optional<double> loss, std::optional<double> norm);
    void noteEmpty(const StepReport& report);
    void warnOfLimits(const StepReport& report);
    void failOnBadNumber(StepReport report);
    void failNotFinite(const BadNode& bad, const std::string& sentence);
    void warnOfBad(const Evaluation& evaluation);
    bool tellsLabels() const;
    Result<std::string> labelled(const std::string& text);
    void keepConfusion(const Evaluation& evaluation);
    std::string keptCheckpoint() const;
    std::optional<Fix> remedy(const std::string& code) const;
    bool weightsAreFinite();
    void duties();
    bool evaluate();
    bool noteBest(double loss);
    void warnOfLeak(const std::string& sentence);
    Portion slice() const;
    bool outOfPatience() const;
    void addEvaluation(const std::string& prefix, const Evaluation& evaluation);
    void finish(RunState state);
    void probeIfWorthIt();
    void probeNow();
    void takeLook(std::int64_t step);
    bool isLookedAt(std::int64_t step) const;
    void freshen(std::int64_t step);
    void sendRow();
    void publish(bool now);
    void setState(RunState state);
    void note(const std::string& line);
    void problem(const std::string& code, const std::string& node, const std::string& sentence,
                 std::optional<Fix> fix = {}, Severity severity = Severity::Error);
    void tellOnce(const Error& error);
    void saveCheckpoint();
    Result<void> writeCheckpointFolder(std::int64_t step);
    RunProgress progress() const;

    Experiment m_experiment;
    const BlockRegistry& m_registry;
    Builders m_builders;
    SessionOptions m_options;
    MetricQueue& m_metrics;
    SnapshotBox& m_box;
    Hurry m_hurry;

    RunState m_state = RunState::Idle;
    Snapshot m_view; ///< what the next snapshot is copied from
    std::shared_ptr<const Dataset> m_data;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Trainer> m_trainer;
    std::optional<RunFolder> m_earlier; ///< the run that is resumed, until it is written again, or that has ended
    std::optional<RunFolder> m_folder;

    std::set<std::string> m_told;      ///< troubles of the run folder and limits that were said
    std::vector<StepReport> m_reports; ///< losses still on the device
    std::optional<MetricRow> m_row;    ///< the row of the newest step, open until its evaluation has joined
    bool m_rowIsDue = false;           ///< by log_every, or because it was evaluated: else it is dropped
    std::int64_t m_stepsWanted = -1;   ///< updates until the next pause; -1: no limit
    std::int64_t m_checkpointed = -1;  ///< step of the newest checkpoint
    RunProgress m_best;                ///< its best, patience and closing members
    Stopwatch m_training;              ///< time spent training, pauses left out
    double m_secondsBefore = 0;        ///< trained before this run was resumed
    Throughput m_throughput;
    ProbeText m_probeText;
    WatchedSignal m_compared;      ///< what the loss compares with targets that are numbers
    std::vector<LensQuery> m_open; ///< what is asked of every look
    double m_probeSeconds = 0;
    double m_published = -1;
};

} // namespace unroll
