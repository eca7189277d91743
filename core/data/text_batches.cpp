// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_batches.h"

#include <cassert>

namespace unroll {

TextBatches::TextBatches(TokenStore tokens, TargetRange range, ReadingOrder order, int64_t steps)
    : m_tokens(std::move(tokens)), m_range(range), m_windows(range.count, order, steps, range.before)
{
    assert(range.first >= 1 && range.first + range.count <= m_tokens.size());
}

/// What lies behind the stretch's end is padded.
void TextBatches::write(Batch& batch, int64_t sequence, const Stretch& stretch) const
{
    const int64_t real = m_windows.lengthOf(stretch);
    const auto row = real > 0 ? m_tokens.slice(m_range.first + stretch.from - 1, real + 1) : std::vector<int32_t>();
    for (int64_t t = 0; t < real; ++t) {
        const auto at = static_cast<size_t>(t * batch.sequences + sequence);
        batch.tokens[at] = row[static_cast<size_t>(t)];
        if (stretch.asks(stretch.from + t))
            batch.targets[at] = row[static_cast<size_t>(t) + 1];
    }
    batch.maskFrom(real, sequence);
}

Batch TextBatches::written(const BatchPlaces& places) const
{
    Batch batch;
    batch.steps = m_windows.steps();
    batch.sequences = static_cast<int64_t>(places.sequences.size());
    batch.tokens.assign(static_cast<size_t>(batch.steps * batch.sequences), 0);
    batch.targets.assign(batch.tokens.size(), kIgnoredTarget);
    for (int64_t b = 0; b < batch.sequences; ++b)
        write(batch, b, places.sequences[static_cast<size_t>(b)]);
    if (places.fresh)
        batch.fresh.assign(static_cast<size_t>(batch.sequences), 1);
    return batch;
}

Batch TextBatches::training(int64_t step, int64_t batchSize, uint64_t seed) const
{
    return written(m_windows.training(step, batchSize, seed));
}

Batch TextBatches::evaluation(int64_t index, int64_t batchSize) const
{
    return written(m_windows.evaluation(index, batchSize));
}

} // namespace unroll
