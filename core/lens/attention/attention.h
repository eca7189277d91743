// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// One head of attention over a reading.
struct AttentionHead {
    std::int64_t head = 0; ///< by its index in the signal
    /// [steps, keys]: how much each step takes from each key; the last `steps` keys are the steps themselves.
    std::vector<float> weights;
    std::vector<double> entropy; ///< of each step's weights, in nats; NaN where one of them is not a number
    std::vector<double> back;    ///< how many steps back they lie on average; NaN likewise
};

struct AttentionData : LensData {
    static constexpr double leastArc = 0.01; ///< lower weights have no arc: it would lie on the axis

    std::vector<AttentionHead> heads; ///< those that were asked for, one at least
    std::int64_t steps = 0;           ///< of the reading
    std::int64_t carried = 0;         ///< keys of steps before the reading, which come first; 0 from a zero state
    std::int64_t step = 0;            ///< whose weights are drawn by themselves
    bool isChosen = false;            ///< false: nobody chose a step, and it is the last one
    std::vector<std::string> labels;  ///< of the steps; may be empty
    std::int64_t missing = 0;         ///< weights that are NaN or infinite, of the heads that are shown
    std::string name;                 ///< "attention weights"
    std::string of;                   ///< what was read

    std::int64_t keys() const { return carried + steps; }
    Figure figure() const override;
};

/// The heads of a signal that shows attention, each with its keys in the order of their steps. A step's weights add up
/// to 1 in each head, by which the heads can be distinguished. Errors: they do not. O(steps x width).
Result<AttentionData> attentionHeadsOf(const SignalFrame& frame);

} // namespace unroll
