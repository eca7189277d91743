// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/checkpointing.h"
#include "core/session/run_evaluation.h"
#include "core/session/run_looks.h"
#include "core/session/run_parts.h"
#include "core/session/run_report.h"
#include "core/session/session.h"
#include "core/train/sampler.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

/// What breaks off work that takes long.
struct Hurry {
    std::stop_token run;     ///< training is to end
    std::stop_token session; ///< all is to end: nothing more can be asked of the model
};

/// Trains what was built: updates, what is due after each, and how the run rests and ends. Until the parts are there
/// its commands do nothing.
class RunLoop {
public:
    /// All references must outlive the loop.
    RunLoop(const Experiment& experiment, const SessionOptions& options, RunParts& parts, RunReport& report,
            Hurry hurry);

    /// One update with all that is due after it. Called while wantsWork().
    void advance();
    bool wantsWork() const { return m_report.state() == RunState::Running; }
    /// Checkpoints what is not on disk yet, for a window that closes.
    void close();

    /// These two also go on with a run that has ended, where Snapshot::canGoOn; `hurry` is that of Hurry::run from then
    /// on.
    void run(std::stop_token hurry);
    void step(std::int64_t count, std::stop_token hurry); ///< also beyond the steps that were planned
    void pause();
    void stop();
    void setLearningRate(double peak);
    void sample(const SampleRequest& request);
    void checkpoint();
    void fail(const std::string& what, const std::string& code); ///< as the Runner's
    /// Before that: takes back an update that was not brought to its end and checkpoints. Throws what torch throws.
    void rescue();

    Checkpointing& checkpoints() { return m_checkpoints; }
    RunLooks& looks() { return m_looks; }
    const RunLooks& looks() const { return m_looks; }

private:
    bool mayTrain() const;
    bool asksAll() const;
    void followWishes();
    void changeRate(double peak);
    void noteTraffic();
    void rest();
    void end();
    void save();
    void train(std::int64_t count, std::stop_token hurry);
    bool update();
    bool readReports();
    void noteEmpty(const StepReport& report);
    void warnOfLimits(const StepReport& report);
    void duties();
    void finish(RunState state);
    bool weightsAreFinite();
    void failOnBadNumber(StepReport report);
    void failNotFinite(const BadNode& bad, const std::string& sentence);
    std::optional<Fix> remedy(const std::string& code) const;

    const Experiment& m_experiment;
    const SessionOptions& m_options;
    RunParts& m_parts;
    RunReport& m_report;
    Hurry m_hurry;
    Checkpointing m_checkpoints;
    RunEvaluation m_evaluation;
    RunLooks m_looks;
    std::vector<StepReport> m_reports; ///< losses still on the device
    std::int64_t m_stepsWanted = -1;   ///< updates until the next pause; -1: no limit
    Wishes m_wishes;                   ///< of all ranks: to be followed after this update
    bool m_isWhole = true;             ///< all that is due after the newest update is done
};

} // namespace unroll
