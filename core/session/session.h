// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/snapshot.h"
#include "core/train/experiment.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

struct SessionOptions {
    std::string
        runFolder; ///< where the run is written; must not exist or be empty unless resuming; empty: nothing is written
    bool resume = false; ///< go on from the newest checkpoint in runFolder
    std::optional<Continuation> schedule; ///< what its schedule does then, asked for expressly; nothing: as the settings have it where `steps` are others
    bool anew = false;   ///< what a run that ended before its first checkpoint left in runFolder gives way to this one
    std::string
        initialWeights; ///< a .safetensors file; weights that match by name and shape are taken, the rest reported
    std::shared_ptr<const KeptWeights> keptWeights; ///< likewise, of another run; that none fits is no error
    /// The run in runFolder has ended, as readRunRecord tells of it: the model of its newest checkpoint can be looked at, sampled and kept.
    /// Nothing is trained and nothing written. Null: a run that trains.
    std::shared_ptr<const Snapshot> ended;
    bool behindWindow = true; ///< the worker gives way to the window's thread; false where there is none
    double lookBudget = 0.01; ///< share of wall time that probes may take; what they cost besides is about twice that
};

/// One training run on a thread of its own. The only face the apps see while training: commands in, snapshots out. Everything of torch lives
/// on the worker. All members may be called from one thread (the window's); none blocks but finish() and the destructor.
class Session {
public:
    /// Starts the worker on copies of all it is given; it builds data and model and then waits, paused at step 0, for run() or step().
    Session(Experiment experiment, const BlockRegistry& registry, Builders builders, SessionOptions options);
    /// Stops, checkpoints, frees everything on the worker, joins.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Both also go on with a run that has ended, from its last step, where Snapshot::canGoOn.
    void run();
    void step(std::int64_t count);     ///< that many updates, then paused again; also beyond the steps that were planned
    void pause();
    void stop();                       ///< checkpoint and end
    void setLearningRate(double peak); ///< the schedule goes on, scaled to this peak; written to the run's log
    void watch(std::vector<WatchedSignal> watched);
    void setProbeText(std::string text);
    void look(); ///< probe once now, also while paused
    void sample(std::string prompt, std::int64_t tokens, double temperature, std::uint64_t seed);
    void checkpoint();
    /// Puts a copy of the weights into the snapshot, or why there is none; also of a run that has ended.
    void keepWeights();
    /// The run's folder was given this path by someone else: what is still written goes there, and the snapshot says so.
    void folderMoved(std::string folder);

    /// Rows since the last call, in order. When nobody called for long, neighbours were merged so that memory stays bounded.
    std::vector<MetricRow> takeMetrics();
    /// The newest snapshot; never null.
    std::shared_ptr<const Snapshot> snapshot() const;
    /// Waits until the run has ended (Finished, Stopped or Failed), at most `seconds` (negative: for ever). True when it has.
    bool finish(double seconds = -1);

private:
    struct Worker;
    std::unique_ptr<Worker> m_worker;
};

} // namespace unroll
