// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/data_cache.h"
#include "core/experiment/experiment.h"
#include "core/group/place.h"
#include "core/model/builders.h"
#include "core/session/snapshot.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// SessionOptions::checkpoint: the last one that can be read.
inline constexpr const char* kNewestCheckpoint = "newest";

struct SessionOptions {
    std::string
        runFolder; ///< where the run is written; must not exist or be empty unless resuming; empty: nothing is written
    bool resume = false; ///< go on from the newest checkpoint in runFolder
    /// What its schedule does then, asked for expressly; nothing: as the settings have it where `steps` are others.
    std::optional<Continuation> schedule;
    bool anew = false;             ///< replaces what a run that ended before its first checkpoint left in runFolder
    std::vector<std::string> tags; ///< RunEnvironment::tags; resuming: empty keeps the run's
    std::string trial;             ///< RunEnvironment::trial, likewise
    std::string
        initialWeights; ///< a .safetensors file; weights that match by name and shape are taken, the rest reported
    std::shared_ptr<const KeptWeights> keptWeights; ///< likewise, of another run; it is not an error if none matches
    /// The run in runFolder has ended, as readRunRecord tells of it: the model of its newest checkpoint can be looked
    /// at, sampled and kept. Nothing is trained and nothing written. Null: a run that trains.
    std::shared_ptr<const Snapshot> ended;
    std::string checkpoint = kNewestCheckpoint; ///< of `ended`: that one, "best", or a step
    bool behindWindow = true; ///< the worker runs at lower priority than the window's thread; false where there is none
    /// Share of the wall time of training that answers to the open queries may take, all together; heavy lenses at most
    /// half of it. Half is left for what looks cost beyond their own time. Below 0: only what is asked for is examined,
    /// and where the run rests.
    double lookBudget = 0.05;
    /// What lenses say of the model is kept over training, within that share too, and in the run's folder
    /// (lenses.jsonl).
    bool keepsSummaries = false;
    /// At every so many updates, whatever that costs, and no others; 0: as that share allows.
    std::int64_t summariesEvery = 0;
    /// Where a run that begins takes its data from, so that what a check has opened is not read again. Made with the
    /// same builders; outlives the session. Null: it reads for itself, as runs that are resumed or have ended always
    /// do: by the alphabet and the scales they have learned.
    DataCache* data = nullptr;
    /// This process is one of several that train the run together, each with a part of every batch. All are told the
    /// same in the same order; what one alone is told while it trains (pause, stop, checkpoint, another rate) all do
    /// after the next update. Rank 0 writes the run, to which all need access where they resume it. Nothing: it trains
    /// alone.
    std::optional<RankPlace> ranks;
};

/// One training run: the only face the apps see while training, commands in, snapshots out. It says nothing of where
/// the run is: startSession() makes one on a thread of this process, tests script one. A new command is a member here
/// and a line of local_session.cpp, which calls the part of the run that does it. All members may be called from one
/// thread (the window's); none blocks but finish() and the destructor.
class Session {
public:
    Session() = default;
    /// Stops, checkpoints, frees everything, and waits until that is done.
    virtual ~Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Trains to the end. Like step() it also goes on with a run that has ended, from its last step, where
    /// Snapshot::canGoOn.
    virtual void run() = 0;
    /// That many updates, then paused again; also beyond the steps that were planned.
    virtual void step(std::int64_t count) = 0;
    virtual void pause() = 0;
    virtual void stop() = 0; ///< checkpoint and end
    /// Sets the peak learning rate; the schedule continues, scaled to it. Written to the run's log.
    virtual void setLearningRate(double peak) = 0;
    /// These queries are open from now on, no others. While it trains they are answered again and again as
    /// SessionOptions::lookBudget allows, those that share a reading together, heavy lenses one at a time in turn;
    /// where it rests, and as soon as it does, all of them. Snapshot::frames has the answers that there are. None: no
    /// more snapshots.
    virtual void ask(std::vector<LensQuery> open) = 0;
    /// What is read from now on, for all queries; at first it is the experiment's probe text. What cannot be read is
    /// noted in the log, and the start of validation is read instead.
    virtual void setReading(const ReadingRequest& reading) = 0;
    /// The viewer has spent so many seconds on drawing what the newest snapshot gave: they count as that look's, see
    /// SessionOptions::lookBudget.
    virtual void drew(double /*seconds*/) {}
    virtual void look() = 0; ///< at the open queries once now, also while paused
    virtual void sample(const std::string& prompt, std::int64_t tokens, const SamplingRule& rule,
                        std::uint64_t seed) = 0;
    virtual void checkpoint() = 0;
    /// Puts a copy of the weights into the snapshot, or why there is none; also of a run that has ended.
    virtual void keepWeights() = 0;
    /// The run's folder was renamed or moved to this path: later files are written there, and the snapshot has the new
    /// path.
    virtual void folderMoved(const std::string& folder) = 0;

    /// Rows since the last call, in order. After a long time without a call neighbouring rows are merged, so that
    /// memory stays bounded.
    virtual std::vector<MetricRow> takeMetrics() = 0;
    /// The newest snapshot; never null.
    virtual std::shared_ptr<const Snapshot> snapshot() const = 0;
    /// Waits until the run has ended (Finished, Stopped or Failed), at most `seconds` (negative: for ever). True when
    /// it has.
    virtual bool finish(double seconds = -1) = 0;
};

/// Starts a worker thread on copies of all it is given; it builds data and model and then waits, paused at step 0, for
/// run() or step(). Everything of torch lives on that thread. Never null.
std::unique_ptr<Session> startSession(Experiment experiment, const BlockRegistry& registry, Builders builders,
                                      SessionOptions options);

} // namespace unroll
