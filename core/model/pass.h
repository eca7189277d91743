// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Inside of Model::forward: how the steps of a plan are run.

#include "core/model/plan.h"

#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// One run through a plan, or through a loop of it at one step of time.
struct Pass {
    const Plan& plan;
    std::vector<Value>& slots;
    const States& carried; ///< states before, by node
    PassContext context;
    bool keepsState;      ///< whether somebody asks for the states after
    std::string& running; ///< the node that runs
    States& states;       ///< takes the states after
    bool begun = false;   ///< in a loop behind its first step: what is carried goes before a state that is wired
    std::shared_ptr<const void> owner = nullptr; ///< of the plan and `running`, for backward passes that run steps
};

/// Runs the steps from `first` up to `last`, loops and reversible groups among them as what they are.
void runSteps(Pass& pass, std::size_t first, std::size_t last);

/// Runs one step: outputs to their slots, its state to `states`.
void runStep(Pass& pass, const PlanStep& step);

/// Runs the steps of a loop once for each step of time, over pieces of what comes in, and joins what goes out. Signals
/// are shown when the loop is over, each for all steps at once.
void runLoop(Pass& pass, const PlanLoop& loop);

/// Runs the copies of a reversible group. Where gradients are wanted, nothing between its inputs and the streams that
/// leave the last copy is kept: the backward pass goes through the copies from the last, computes F and G once more,
/// with the random numbers of the forward pass, and takes them off the streams (Gomez et al. 2017, "The Reversible
/// Residual Network", algorithm 1). An editor's pass, and one whose observer follows gradients, run the plain steps.
void runReversible(Pass& pass, const PlanReversible& group);

} // namespace unroll
