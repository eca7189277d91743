// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Steps of a sequence, counted from 0 here and from 1 in text; `first` and `last` belong to it.
struct EditSpan {
    std::int64_t first = 0;
    std::optional<std::int64_t> last = {}; ///< nothing: to the end

    bool has(std::int64_t step) const { return step >= first && (!last || step <= *last); }
    bool operator==(const EditSpan&) const = default;
};

/// One change to what a network computes while it reads.
struct Edit {
    enum class Kind {
        Pin,    ///< = amount
        Scale,  ///< times amount
        Add,    ///< plus amount
        Noise,  ///< plus draws from a normal distribution with standard deviation `amount`
        Swap,   ///< units with others of the same signal, one by one
        Ablate, ///< what the node outputs is zero, or its mean over the reading
        Start   ///< the states before the first step are those after `text`
    };
    Kind kind = Kind::Pin;
    std::string node = {};   ///< path, with dots in groups; empty for Start
    std::string signal = {}; ///< of the node: a signal, a part of its state or an output; empty for Ablate and Start
    std::vector<std::int64_t> units = {};  ///< empty: all
    std::vector<std::int64_t> others = {}; ///< of Swap, as many as `units`
    double amount = 0;                     ///< finite
    std::uint64_t seed = 0;                ///< of Noise
    bool toMean = false;                   ///< of Ablate
    std::string text = {};                 ///< of Start
    EditSpan span = {};

    bool operator==(const Edit&) const = default;
};

/// Edits as text, separated by semicolons, applied in their order:
///
///     lstm.h[3,17] = 0 from 40              lstm.h[3] <-> lstm.h[17]
///     lstm.c[5] *= 2 at 10..20              ablate mru_1
///     gru.z += 0.5 at 7                     ablate mru_1 with mean from 8
///     gru.z += noise(0.1, seed 3)           start "Once upon"
///
/// Steps count from 1, as all that is shown of a reading does, units from 0.
/// Without units all are meant, `[2..5]` are four of them; without a span every step. Errors give the character where
/// the text goes wrong, counted from 1, and what was expected there; the place is "edit". An empty text is not an edit.
Result<std::vector<Edit>> parseEdits(const std::string& text);

/// The same as text, in one way: parseEdits() gives it back equal.
std::string writtenEdits(const std::vector<Edit>& edits);
std::string writtenEdit(const Edit& edit);

} // namespace unroll
