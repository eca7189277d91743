// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/diagnostic.h"
#include "core/data/dataset.h"
#include "core/lens/lens.h"
#include "core/runs/metrics.h"
#include "core/runs/run_measures.h"
#include "core/runs/run_state.h"
#include "core/train/kept_weights.h"
#include "core/train/weight_report.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Of a run that several ranks train.
struct RankFigures {
    std::int64_t count = 1;
    std::int64_t bytes = 0; ///< that each gives to the sums of an update
    double seconds = 0;     ///< spent in sums here, waiting for the others included; known at the end
};

/// The newest state of a run, for viewers. Immutable plain values.
struct Snapshot {
    RunState state = RunState::Idle;
    std::int64_t step = 0;
    std::int64_t steps = 0;     ///< planned
    double tokensPerSecond = 0; ///< over the last second or so
    double secondsLeft = 0;
    std::string device; ///< as resolved: "cpu, 2 threads"
    RankFigures ranks;
    std::string runFolder;
    std::int64_t checkpointed = -1;        ///< step of the newest checkpoint on disk; -1: none
    RunMeasures measures;                  ///< units of its figures
    std::optional<Baseline> baseline;      ///< loss of a simple guess on the validation slice, which val/loss is of
    std::optional<double> entropyFloor;    ///< entropy of that slice, nats/target: no model can beat it
    std::optional<double> entropyExpected; ///< entropy of the source, nats/target
    std::optional<Baseline> finalBaseline; ///< likewise of the whole validation split, which final/loss is of
    std::optional<double> finalFloor;
    double bestValidationLoss = 0; ///< 0: none yet
    std::int64_t bestStep = 0;
    double learningRate = 0;
    /// The newest answer to each open query, in their order; those that have none yet are left out. Each says of which
    /// step it is. When no query is open any more, the last ones.
    std::vector<std::shared_ptr<const LensFrame>> frames;
    std::int64_t framesKept = 0;   ///< in the run's folder, of all lenses: what one can go back to
    std::uint64_t framesStamp = 0; ///< another number whenever others are kept
    std::string framesNotKept;     ///< why the newest are not; empty: they are, or none was to be
    std::string notRead; ///< why what was to be read is not, and the start of validation is; empty: it is read
    /// While it trains, how often the budget lets the open queries be answered: those that share a reading, and each of
    /// the heavy ones. 0: not known yet, or there are none.
    double looksPerMinute = 0;
    double heavyLooksPerMinute = 0;
    static constexpr std::size_t kMostSamples = 20;
    std::vector<Sample> samples;      ///< newest last, at most so many
    std::vector<Diagnostic> problems; ///< found while running: NaN with its node, out of memory, a full disk
    std::shared_ptr<const WeightReport> initialWeights; ///< where its initial weights came from; null: drawn at random
    std::shared_ptr<const KeptWeights> keptWeights;     ///< the newest copy requested; null: none
    std::string notKept;                                ///< why that copy could not be made; empty: nothing failed
    std::string
        notOpened; ///< why the model of a run that had ended is not available; empty: it is, or it is being opened
    std::string failure; ///< why the run ended, when Failed
    /// It has ended, and its model is still available: run() and step() go on from its last step. Else only its newest
    /// checkpoint does.
    bool canGoOn = false;
    std::vector<std::string> log; ///< newest lines, at most 200

    /// The newest frame of this query; null: there is none.
    std::shared_ptr<const LensFrame> frameOf(const LensQuery& query) const;
};

} // namespace unroll
