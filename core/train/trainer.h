// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/train/experiment.h"
#include "core/train/optimizer.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// What one update left behind. Loss and norm are still on the device: reading them waits for it.
struct StepReport {
    std::int64_t step = 0;   ///< updates done, this one included
    std::int64_t tokens = 0; ///< seen so far
    double learningRate = 0;
    at::Tensor loss;         ///< mean over the accumulated batches, nats per scored target
    at::Tensor gradientNorm; ///< before clipping
};

/// Means over the scored targets of a split or a slice of it.
struct Evaluation {
    double loss = 0;     ///< nats per target
    double accuracy = 0; ///< of the targets that count for it
    std::int64_t targets = 0;
};

/// Where a number stopped being finite.
struct BadNode {
    std::string node; ///< empty: could not be found again
    std::string sentence;
};

/// The loop: forward, backward, clip, optimiser, schedule, evaluation. Knows no thread; all calls come from the one that owns the model.
class Trainer {
public:
    /// Model and data must outlive the trainer.
    Trainer(const Experiment& experiment, Model& model, const Dataset& data);

    /// One optimiser update on the next batch. Throws what torch throws.
    StepReport step();
    bool done() const { return m_step >= m_settings.steps; }
    std::int64_t stepsDone() const { return m_step; }
    std::int64_t tokensSeen() const { return m_tokens; }

    /// The first `batches` of the validation split, or all of it (0). Draws nothing from training's generators, leaves carried state alone.
    Evaluation evaluate(std::int64_t batches);

    /// Runs the batch of update `step` again with an observer on every wire and says where the first bad number appears. The weights are
    /// still those from before it, as found_inf held them.
    BadNode findBadNode(std::int64_t step);

    double peakLearningRate() const { return m_peak; }
    void setPeakLearningRate(double peak) { m_peak = peak; }

    /// All that a resumed run needs beside the weights, by name; loading copies into these in place.
    std::vector<std::pair<std::string, at::Tensor>> optimizerState() const { return m_optimizer.state(); }
    const States& carriedStates() const { return m_states; }
    at::Tensor dropoutState() const;
    void restore(std::int64_t step, std::int64_t tokens, States carried, const at::Tensor& dropoutState);

private:
    at::Tensor accumulate(std::int64_t batchIndex, States& states, double weight);
    ModelInput toInput(const Batch& batch) const;
    void remember(std::int64_t step);

    TrainSettings m_settings;
    std::uint64_t m_seed;
    Model& m_model;
    const Dataset& m_data;
    at::Device m_device;
    Optimizer m_optimizer;
    at::Generator m_dropout;
    States m_states; ///< carried from batch to batch, detached
    std::int64_t m_step = 0;
    std::int64_t m_tokens = 0;
    double m_peak;
    struct Before {
        std::int64_t step;
        States states;
    };
    std::deque<Before> m_before; ///< of the newest updates, for findBadNode
};

/// A generator of its own for a device, seeded.
at::Generator makeGenerator(at::Device device, std::uint64_t seed);

} // namespace unroll
