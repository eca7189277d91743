// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// Maximum number of tokens of the probe text.
inline constexpr std::size_t longestProbe = 96;

/// One watched signal on the probe text: values[t * width + unit]. Matrices lie one behind the other, row by row.
struct SignalFrame {
    std::string node; ///< path of the node, dots in groups
    std::string signal;
    SignalLook look = SignalLook::Signed;
    std::int64_t steps = 0;
    std::int64_t width = 0;
    std::vector<float> values;
    std::int64_t rows = 0; ///< of each matrix; 0: the units are single numbers
};

/// Heads of a signal that shows attention, whose rows come in a block for each head, one row for every step looked at; 0: its rows are units.
/// A probe starts from a zero state.
inline std::int64_t attentionHeads(const SignalFrame& frame)
{
    return frame.look == SignalLook::Attention && frame.steps > 0 ? frame.width / frame.steps : 0;
}

/// Predicted and actual values of a model of numbers at each step: one target column, in its own units.
struct Forecast {
    std::string column;
    std::vector<float> told;
    std::vector<float> right; ///< NaN where there is no target
};

/// One snapshot: the watched signals on one probe text at one training step. Plain floats: nothing of torch leaves the worker.
struct ProbeFrame {
    std::int64_t step = 0;
    std::vector<std::string> characters; ///< a visible label under each column; none where numbers were read
    std::vector<SignalFrame> signalFrames;
    std::vector<Forecast> forecasts = {}; ///< a target column each; none where text is read
};

/// Whether the labels are single characters, as a text's are; those of classes may be words, "231".
inline bool readsCharacters(const ProbeFrame& frame)
{
    const auto isOne = [](const std::string& label) {
        return std::ranges::count_if(label, [](char byte) { return (byte & 0xc0) != 0x80; }) == 1; // UTF-8
    };
    return !frame.characters.empty() && std::ranges::all_of(frame.characters, isOne);
}

/// Which signal is watched.
struct WatchedSignal {
    std::string node;
    std::string signal;

    bool operator==(const WatchedSignal&) const = default;
    auto operator<=>(const WatchedSignal&) const = default;
};

} // namespace unroll
