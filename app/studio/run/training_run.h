// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/session.h"

#include <functional>
#include <memory>

namespace unroll {

/// What the window needs of one training run. A Session stands behind it in the program, a script in the tests.
/// No member blocks but the destructor, which ends the run.
class TrainingRun {
public:
    virtual ~TrainingRun() = default;

    virtual void run() = 0;
    virtual void pause() = 0;
    virtual void step(std::int64_t count) = 0;
    virtual void stop() = 0;
    virtual void checkpoint() = 0;
    virtual void setLearningRate(double peak) = 0;
    virtual void watch(std::vector<WatchedSignal> watched) = 0;
    virtual void setProbeText(const std::string& text) = 0;
    virtual void look() = 0;
    virtual void sample(const std::string& prompt, std::int64_t tokens, double temperature, std::uint64_t seed) = 0;
    virtual void keepWeights() = 0;
    virtual void folderMoved(const std::string& folder) = 0;
    virtual std::vector<MetricRow> takeMetrics() = 0;
    virtual std::shared_ptr<const Snapshot> snapshot() const = 0;
};

/// Makes a run of this experiment, paused at step 0.
using StartRun =
    std::function<std::unique_ptr<TrainingRun>(const Experiment& experiment, const SessionOptions& options)>;

/// Runs that train: each owns a Session. The registry must outlive the runs.
StartRun sessionRuns(const BlockRegistry& registry, const Builders& builders);

} // namespace unroll
