// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_batches.h"

#include "core/data/random.h"

#include <algorithm>
#include <cassert>

namespace unroll {

namespace {

// Purposes of the streams of random numbers.
constexpr uint64_t kStreamOffset = 0x74657874'0001;
constexpr uint64_t kWindowPlace = 0x74657874'0002;

int64_t dividedUp(int64_t number, int64_t by)
{
    return (number + by - 1) / by;
}

} // namespace

TextBatches::TextBatches(std::span<const uint16_t> tokens, TargetRange range, TextOrder order, int64_t steps)
    : m_tokens(tokens), m_range(range), m_order(order), m_steps(steps)
{
    assert(range.first >= 1 && range.count >= 1 && steps >= 1);
    assert(range.first + range.count <= static_cast<int64_t>(tokens.size()));
}

bool TextBatches::holds(int64_t batchSize) const
{
    return batchSize >= 1 && batchSize <= m_range.count / m_steps;
}

Batch TextBatches::blank(int64_t batchSize) const
{
    Batch batch;
    batch.steps = m_steps;
    batch.sequences = batchSize;
    batch.tokens.assign(static_cast<size_t>(m_steps * batchSize), 0);
    batch.targets.assign(batch.tokens.size(), kIgnoredTarget);
    return batch;
}

void TextBatches::write(Batch& batch, int64_t sequence, int64_t from, int64_t end) const
{
    const int64_t real = std::clamp(std::min(end, m_range.count) - from, int64_t{0}, m_steps);
    for (int64_t t = 0; t < real; ++t) {
        const auto at = static_cast<size_t>(t * batch.sequences + sequence);
        const auto target = static_cast<size_t>(m_range.first + from + t);
        batch.tokens[at] = m_tokens[target - 1];
        batch.targets[at] = m_tokens[target];
    }
    if (real < m_steps && batch.mask.empty())
        batch.mask.assign(batch.tokens.size(), 1);
    for (int64_t t = real; t < m_steps; ++t)
        batch.mask[static_cast<size_t>(t * batch.sequences + sequence)] = 0;
}

Batch TextBatches::training(int64_t step, int64_t batchSize, uint64_t seed) const
{
    assert(step >= 0 && holds(batchSize));
    Batch batch = blank(batchSize);
    const int64_t perEpoch = m_range.count / (batchSize * m_steps);
    const int64_t epoch = step / perEpoch, within = step % perEpoch;
    const auto leftOver = static_cast<uint64_t>(m_range.count - perEpoch * batchSize * m_steps);
    const auto places = static_cast<uint64_t>(m_range.count - m_steps + 1);
    const auto offset =
        static_cast<int64_t>(Random(seed, kStreamOffset, static_cast<uint64_t>(epoch)).below(leftOver + 1));
    for (int64_t b = 0; b < batchSize; ++b) {
        const auto item = static_cast<uint64_t>(step * batchSize + b);
        const int64_t from = m_order == TextOrder::Streams
                                 ? offset + (b * perEpoch + within) * m_steps
                                 : static_cast<int64_t>(Random(seed, kWindowPlace, item).below(places));
        write(batch, b, from, m_range.count);
    }
    if (m_order == TextOrder::Windows || within == 0)
        batch.fresh.assign(static_cast<size_t>(batchSize), 1);
    return batch;
}

int64_t TextBatches::streamLength(int64_t batchSize) const
{
    return dividedUp(m_range.count, batchSize);
}

int64_t TextBatches::evaluationCount(int64_t batchSize) const
{
    assert(batchSize >= 1);
    return m_order == TextOrder::Streams ? dividedUp(streamLength(batchSize), m_steps)
                                         : dividedUp(dividedUp(m_range.count, m_steps), batchSize);
}

Batch TextBatches::evaluation(int64_t index, int64_t batchSize) const
{
    assert(index >= 0 && index < evaluationCount(batchSize));
    Batch batch = blank(batchSize);
    const int64_t length = streamLength(batchSize);
    for (int64_t b = 0; b < batchSize; ++b) {
        if (m_order == TextOrder::Streams)
            write(batch, b, b * length + index * m_steps, (b + 1) * length);
        else
            write(batch, b, (index * batchSize + b) * m_steps, m_range.count);
    }
    if (m_order == TextOrder::Windows || index == 0)
        batch.fresh.assign(static_cast<size_t>(batchSize), 1);
    return batch;
}

} // namespace unroll
