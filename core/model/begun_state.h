// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <vector>

namespace unroll {

struct PlanStep;

/// What is wired to the state of a node: a state, or a vector that holds its tensors side by side.
Value wiredState(const PlanStep& step, const Value& wired);

/// A state that was carried, from where sequences begin: at a vector of weights that is wired to it, or at a block's
/// own learned state. Where that is, is not learned from sequences that have begun: their state is carried without
/// gradients, but within a loop, and is not zeros.
Value movedFrom(const Value& start, const Value& carried);

/// A state of a node as it is carried: of one that begins at weights what it has moved since.
Value toCarry(const PlanStep& step, const std::vector<Value>& slots, const Value& state);

} // namespace unroll
