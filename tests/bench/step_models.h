// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unroll::contract {

/// One step of a whole model, one sequence, once its window is full.
struct ModelStep {
    std::string name; ///< of its experiment
    std::int64_t width = 0, parameters = 0;
    double microseconds = 0;
};

/// char-gpt and char-terraformer as they are and eight times as wide. In the wide pair the Terraformer has blocks and
/// modules four times as many, and as many hidden units as make its weights equal to those of the other within 1 %.
std::vector<ModelStep> modelSteps();

} // namespace unroll::contract
