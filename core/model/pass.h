// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Inside of Model::forward: how the steps of a plan are run.

#include "core/model/plan.h"

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
};

/// Runs one step: outputs to their slots, its state to `states`.
void runStep(Pass& pass, const PlanStep& step);

/// Runs the steps of a loop once for each step of time, over pieces of what comes in, and joins what goes out. Signals
/// are shown when the loop is over, each for all steps at once.
void runLoop(Pass& pass, const PlanLoop& loop);

} // namespace unroll
