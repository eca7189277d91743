// SPDX-License-Identifier: GPL-3.0-or-later
// What tests read of a task's batch.
#pragma once

#include "core/data/dataset.h"

#include <string>
#include <vector>

namespace unroll {

/// Steps that belong to sequence b.
inline int64_t realSteps(const Batch& batch, int64_t b)
{
    int64_t real = 0;
    for (int64_t t = 0; t < batch.steps; ++t)
        real += batch.mask.empty() ? 1 : batch.mask[static_cast<size_t>(t * batch.sequences + b)];
    return real;
}

struct Read {
    std::vector<int32_t> tokens, targets, scored;
};

/// Sequence b without its padding.
inline Read sequence(const Batch& batch, int64_t b)
{
    Read read;
    for (int64_t t = 0; t < realSteps(batch, b); ++t) {
        const auto at = static_cast<size_t>(t * batch.sequences + b);
        read.tokens.push_back(batch.tokens[at]);
        read.targets.push_back(batch.targets[at]);
        read.scored.push_back(batch.scored[at]);
    }
    return read;
}

/// What is asked for at each step, a dot where nothing is.
inline std::string askedText(const Dataset& task, const Read& read)
{
    std::string text;
    for (const int32_t target : read.targets)
        text += target == kIgnoredTarget ? "." : task.decode({target});
    return text;
}

} // namespace unroll
