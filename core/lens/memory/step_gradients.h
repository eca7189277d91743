// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/probe.h"
#include "core/model/model.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace unroll::lenses::memory {

/// What the network gives at one step, detached.
struct StepOutput {
    at::Tensor values;      ///< [classes] or [targets], on the CPU in double
    bool classes = true;    ///< logits of classes; false: numbers, or a logit for each
    bool whole = false;     ///< it is of the whole reading
    std::int64_t steps = 0; ///< of the reading
};

struct StepGradients {
    StepOutput output;
    std::vector<double> size;          ///< of each step; see MemoryData::gradient
    std::vector<std::string> rounding; ///< nodes whose gradients are straight-through
};

/// Chooses one of the output's values.
using ChooseOutput = std::function<Result<std::int64_t>(const StepOutput&)>;

/// One pass over the reading and one back, from the output at `step` (-1: the last) that is chosen. The gradient of
/// tokens is that of the outputs of all nodes that turn them into vectors. Leaves no gradient behind.
Result<StepGradients> stepGradients(Model& model, const ProbeText& text, std::int64_t step, const ChooseOutput& choose);

} // namespace unroll::lenses::memory
