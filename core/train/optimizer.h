// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/settings.h"
#include "core/model/block.h"
#include "core/runs/schedule_plan.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// The plan of a run, or of a part of it that begins with update `begin` and warms up: to the settings' `steps`, or as
/// long as warm-up and `decay_steps` are.
SchedulePlan planned(const TrainSettings& settings, std::int64_t begin = 0);
/// Learning rate of update `step` (from 0): linear rise over `warmup`, then constant or a cosine down to the final rate
/// at the plan's end, where it stays. `peak` replaces the settings' learning rate; the first and the final rate scale
/// with it.
double scheduledRate(const TrainSettings& settings, const SchedulePlan& plan, double peak, std::int64_t step);
/// The plan of a run that goes on with update `step` to the settings' `steps`.
SchedulePlan continued(const TrainSettings& settings, const SchedulePlan& plan, double peak, std::int64_t step,
                       Continuation how);
/// What the rate does from update `step` on, as a sentence.
std::string scheduleText(const TrainSettings& settings, const SchedulePlan& plan, double peak, std::int64_t step);

/// Groups of weights, clipping and regularisation around the update rule of an optimiser (core/train/optimizers). A
/// non-finite gradient leaves weights and moments untouched (found_inf), without a sync.
class Optimizer {
public:
    Optimizer(const TrainSettings& settings, const std::vector<Weight>& weights);

    void clearGradients();
    /// Adds what the weights' rules add to the loss, and its gradient to theirs. Gives the sum, a scalar; undefined
    /// where no weight has a penalty.
    at::Tensor addPenalties();
    /// Clips each group's gradient to `clip`, times its scale, and returns the norm over all of them before clipping: a
    /// scalar on the device.
    at::Tensor clipGradients(double clip);
    /// One update, after which the weights' constraints hold. `notFinite` is a float tensor of one element on the
    /// device: 0 = go, 1 = leave everything as it is.
    void update(double learningRate, const at::Tensor& notFinite);

    /// Moments and counts by name, to be saved and loaded in place: "first.lstm.weight_ih_l0", "second....",
    /// "count....".
    std::vector<std::pair<std::string, at::Tensor>> state() const;

private:
    /// Weights with one weight decay and one learning rate, for one fused call.
    struct Group {
        double weightDecay = 0;
        double learningRateScale = 1;
        std::vector<std::size_t> members;
    };
    struct Slots {
        std::vector<at::Tensor> kept; ///< as OptimizerSpec::slots
        at::Tensor count;             ///< updates so far, one float: a view of m_counts
    };
    void makeGroups(const std::vector<Weight>& weights);
    void updateGroup(const Group& group, double learningRate, const at::Tensor& notFinite);
    void holdConstraints(const at::Tensor& notFinite);
    std::vector<std::size_t> withGradient(const std::vector<std::size_t>& members) const;
    /// For each weight 1 where it has a gradient, else 0.
    at::Tensor withGradientCounted();

    TrainSettings m_settings;
    const OptimizerSpec& m_spec;
    std::vector<Weight> m_weights; ///< the trained ones
    std::vector<Slots> m_slots;
    at::Tensor m_counts;       ///< of all weights, one after the other; where the optimiser counts
    std::vector<float> m_have; ///< what m_counted holds
    at::Tensor m_counted;
    std::vector<Group> m_groups;
    std::map<std::pair<std::string, double>, std::vector<std::size_t>> m_clipGroups; ///< by name and clipScale
};

} // namespace unroll
