// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/batch_columns.h"

#include <cstddef>

namespace unroll {

Batch columnsOf(const Batch& batch, std::int64_t from, std::int64_t count)
{
    const auto cut = [&](const auto& all, auto& part) {
        if (all.empty())
            return;
        const auto row = static_cast<std::ptrdiff_t>(all.size()) / batch.steps; // B entries, each of some numbers
        const auto width = row / batch.sequences;
        part.reserve(static_cast<std::size_t>(batch.steps * count * width));
        for (std::int64_t t = 0; t < batch.steps; ++t) {
            const auto begin = all.begin() + t * row + from * width;
            part.insert(part.end(), begin, begin + count * width);
        }
    };
    Batch part;
    part.steps = batch.steps;
    part.sequences = count;
    cut(batch.tokens, part.tokens);
    cut(batch.targets, part.targets);
    cut(batch.features, part.features);
    cut(batch.values, part.values);
    cut(batch.mask, part.mask);
    cut(batch.scored, part.scored);
    if (!batch.fresh.empty())
        part.fresh.assign(batch.fresh.begin() + from, batch.fresh.begin() + from + count);
    return part;
}

} // namespace unroll
