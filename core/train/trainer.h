// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/experiment/experiment.h"
#include "core/model/model.h"
#include "core/runs/stream_place.h"
#include "core/train/bad_number.h"
#include "core/train/evaluation.h"
#include "core/train/optimizer.h"
#include "core/train/ranks.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

/// What one update left behind. Loss and norm are still on the device: reading them waits for it.
struct StepReport {
    std::int64_t step = 0;   ///< updates done, this one included
    std::int64_t tokens = 0; ///< seen so far
    double learningRate = 0;
    at::Tensor
        loss; ///< mean over the accumulated batches that have targets, per scored target, plus the weights' penalties
    at::Tensor gradientNorm; ///< before clipping
    bool learned = true; ///< false: no batch had a target, so there is neither loss nor norm and no weight was touched
    std::vector<SignalPeak> peaks; ///< of signals that have a limit, at every tenth update
    Wishes wishes;                 ///< of all ranks, that came with this update
};

/// What training goes on from, beside weights and moments.
struct TrainerState {
    std::int64_t step = 0;
    std::int64_t tokens = 0;
    double peakLearningRate = 0;
    SchedulePlan plan;
    StreamPlace streams; ///< of `carried`
    States carried;
    at::Tensor dropout; ///< state of the generator; the devices' kinds differ
};

/// The loop: forward, backward, clip, optimiser, schedule, evaluation. Knows no thread; all calls come from the one
/// that owns the model. With ranks, step(), evaluate(), findBadNode(), wholeState() and align() are made by all of them
/// together and throw LostPeer; `stop` must then be asked for on none.
class Trainer {
public:
    /// Model and data must outlive the trainer, and so must the ranks; null: this process trains alone.
    Trainer(const Experiment& experiment, Model& model, const Dataset& data, Ranks* ranks = nullptr);

    /// One optimiser update on the next batch. One without a target is read (streams go on) and changes no weight.
    /// Throws what torch throws.
    StepReport step() { return *step(std::stop_token()); }
    /// Nothing when `stop` asked for the end between two batches of the update: then all is as before it.
    std::optional<StepReport> step(const std::stop_token& stop);
    const Dataset& data() const { return m_data; }
    bool done() const { return m_step >= m_settings.steps; }
    std::int64_t stepsDone() const { return m_step; }

    /// The first `batches` of the split, or all of it (0).
    Portion portion(Split split, std::int64_t batches = 0) const { return {split, m_settings.batch, batches}; }
    /// Draws nothing from training's generators, leaves carried state alone. Nothing when `stop` asked for the end
    /// before it was reached.
    std::optional<Evaluation> evaluate(const Portion& portion, const std::stop_token& stop = {});

    /// Runs the batches of update `step` again, with its states and draws and an observer on every wire, forward and
    /// backward, and says where the first bad number appears: in a weight, the data, a carried state, a node, the loss,
    /// a gradient, a penalty. The weights are still those from before it: from a bad number on, found_inf holds them
    /// until restore() or rewind().
    BadNode findBadNode(std::int64_t step);

    /// Back to before update `step`: its draws, states and tokens. For an update that an exception broke off, or whose
    /// numbers were bad: neither has touched weights and moments, nor has any after it. False: it is too far back, and
    /// nothing was changed.
    bool rewind(std::int64_t step);

    double peakLearningRate() const { return m_peak; }
    void setPeakLearningRate(double peak) { m_peak = peak; }
    const SchedulePlan& plan() const { return m_plan; }
    void setPlan(const SchedulePlan& plan) { m_plan = plan; }
    double nextLearningRate() const { return scheduledRate(m_settings, m_plan, m_peak, m_step); }

    /// All that a resumed run needs beside the weights, by name; loading copies into these in place.
    std::vector<std::pair<std::string, at::Tensor>> optimizerState() const { return m_optimizer.state(); }
    TrainerState state() const;
    /// The same with the states of all ranks' sequences.
    TrainerState wholeState() const;
    /// Whether weights have the same bits on all ranks. Where not (ranks on other processors round otherwise), all go
    /// on with those of rank 0, moments too.
    bool align();
    /// Goes on from there. What cannot be taken over is said in sentences: the draws of another kind of device, states
    /// of other streams. On an error nothing was changed.
    Result<std::vector<std::string>> restore(TrainerState state);

private:
    struct Before {
        std::int64_t step;
        std::int64_t tokens;
        States states;
        at::Tensor dropout;
    };

    std::optional<BadPlace> badPlace(const Before& before, PassRecord& record);
    std::vector<Batch> batchesOf(std::int64_t step) const;
    at::Tensor accumulate(const Batch& batch, double weight, States& states, PassContext context);
    at::Tensor accumulateShare(const Batch& whole, double weight, States& states, PassContext context);
    void addUp(at::Tensor& loss, StepReport& report);
    void remember();
    void takeBack();
    std::deque<Before>::const_iterator remembered(std::int64_t step) const;
    StreamPlace streams() const;
    Result<at::Generator> dropoutFrom(const TrainerState& state) const;

    TrainSettings m_settings;
    std::uint64_t m_seed;
    Model& m_model;
    const Dataset& m_data;
    Ranks* m_ranks; ///< null: this process trains alone
    at::Device m_device;
    std::vector<LimitedSignal> m_limited;
    Optimizer m_optimizer;
    at::Generator m_dropout;
    States m_states;       ///< carried from batch to batch, detached
    at::Tensor m_foundInf; ///< found_inf of all updates so far: 1 from the first bad number on
    std::int64_t m_step = 0;
    std::int64_t m_tokens = 0;
    double m_peak;
    SchedulePlan m_plan;
    std::deque<Before> m_before; ///< of the newest updates, for findBadNode and rewind
};

/// A generator of its own for a device, seeded.
at::Generator makeGenerator(at::Device device, std::uint64_t seed);

} // namespace unroll
