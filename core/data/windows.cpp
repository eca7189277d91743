// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/windows.h"

#include "core/data/random.h"

#include <algorithm>
#include <cassert>

namespace unroll {

namespace {

// Purposes of the streams of random numbers. Texts were cut first, and keep their batches.
constexpr uint64_t kStreamOffset = 0x74657874'0001;
constexpr uint64_t kWindowPlace = 0x74657874'0002;

int64_t dividedUp(int64_t number, int64_t by)
{
    return (number + by - 1) / by;
}

} // namespace

Windows::Windows(int64_t count, ReadingOrder order, int64_t steps) : m_count(count), m_order(order), m_steps(steps)
{
    assert(count >= 1 && steps >= 1);
}

bool Windows::holds(int64_t batchSize) const
{
    return batchSize >= 1 && batchSize <= m_count / m_steps;
}

int64_t Windows::lengthOf(const Stretch& stretch) const
{
    return std::clamp(std::min(stretch.end, m_count) - stretch.from, int64_t{0}, m_steps);
}

BatchPlaces Windows::training(int64_t step, int64_t batchSize, uint64_t seed) const
{
    assert(step >= 0 && holds(batchSize));
    const int64_t perEpoch = m_count / (batchSize * m_steps);
    const int64_t epoch = step / perEpoch, within = step % perEpoch;
    const auto leftOver = static_cast<uint64_t>(m_count - perEpoch * batchSize * m_steps);
    const auto places = static_cast<uint64_t>(m_count - m_steps + 1);
    const auto offset =
        static_cast<int64_t>(Random(seed, kStreamOffset, static_cast<uint64_t>(epoch)).below(leftOver + 1));
    BatchPlaces batch;
    for (int64_t b = 0; b < batchSize; ++b) {
        const auto item = static_cast<uint64_t>(step * batchSize + b);
        const int64_t from = m_order == ReadingOrder::Streams
                                 ? offset + (b * perEpoch + within) * m_steps
                                 : static_cast<int64_t>(Random(seed, kWindowPlace, item).below(places));
        batch.sequences.push_back({from, m_count});
    }
    batch.fresh = m_order == ReadingOrder::Windows || within == 0;
    return batch;
}

int64_t Windows::streamLength(int64_t batchSize) const
{
    return dividedUp(m_count, batchSize);
}

int64_t Windows::evaluationCount(int64_t batchSize) const
{
    assert(batchSize >= 1);
    return m_order == ReadingOrder::Streams ? dividedUp(streamLength(batchSize), m_steps)
                                            : dividedUp(dividedUp(m_count, m_steps), batchSize);
}

BatchPlaces Windows::evaluation(int64_t index, int64_t batchSize) const
{
    assert(index >= 0 && index < evaluationCount(batchSize));
    const int64_t length = streamLength(batchSize);
    BatchPlaces batch;
    for (int64_t b = 0; b < batchSize; ++b)
        batch.sequences.push_back(m_order == ReadingOrder::Streams
                                      ? Stretch{b * length + index * m_steps, (b + 1) * length}
                                      : Stretch{(index * batchSize + b) * m_steps, m_count});
    batch.fresh = m_order == ReadingOrder::Windows || index == 0;
    return batch;
}

} // namespace unroll
