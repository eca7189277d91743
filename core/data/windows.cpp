// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/windows.h"

#include "core/base/number_text.h"
#include "core/data/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

// Purposes of the streams of random numbers. Texts were cut first, and keep their batches.
constexpr uint64_t kStreamOffset = 0x74657874'0001;
constexpr uint64_t kWindowPlace = 0x74657874'0002;

// Of evaluation in streams.
constexpr int64_t kWarmUp = 1024;         // items
constexpr int64_t kLeastStream = 4096;    // items: of what is read a fifth at most is warm-up
constexpr int64_t kLeastBatches = 4;      // of a stream
constexpr int64_t kMostStreams = 32;      // beyond them a batch takes longer, too
constexpr int64_t kMostCells = 1'048'576; // of a batch, steps times streams: memory

int64_t dividedUp(int64_t number, int64_t by)
{
    return (number + by - 1) / by;
}

} // namespace

Division divided(int64_t count, double validationFraction, double testFraction)
{
    // What is a whole number but for the rounding of a sum of fractions is that number: 0.05 and 0.05 leave 900 of
    // 1000.
    const double slack = testFraction > 0 ? 1e-9 * static_cast<double>(count) + 1e-9 : 0;
    const auto share = [&](double part) {
        return std::clamp<int64_t>(static_cast<int64_t>(std::floor(static_cast<double>(count) * part + slack)), 0,
                                   count);
    };
    const int64_t training = share(1.0 - validationFraction - testFraction);
    return {training, testFraction > 0 ? std::max(training, share(1.0 - testFraction)) : count};
}

Windows::Windows(int64_t count, ReadingOrder order, int64_t steps, int64_t before)
    : m_count(count), m_order(order), m_steps(steps), m_before(before)
{
    assert(count >= 1 && steps >= 1 && before >= 0);
    const int64_t most = std::clamp<int64_t>(kMostCells / steps, 1, kMostStreams);
    m_streams = std::clamp<int64_t>(count / std::max(kLeastStream, kLeastBatches * steps), 1, most);
    m_streamLength = dividedUp(count, m_streams);
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

Stretch Windows::stream(int64_t b) const
{
    const int64_t first = b * m_streamLength;
    return {std::max(first - kWarmUp, -m_before), std::min(first + m_streamLength, m_count), first};
}

int64_t Windows::warmUp() const
{
    if (m_order == ReadingOrder::Windows)
        return 0;
    const Stretch last = stream(m_streams - 1); // none has a longer one
    return dividedUp(last.asked - last.from, m_steps);
}

int64_t Windows::evaluationCount(int64_t batchSize) const
{
    assert(batchSize >= 1);
    if (m_order == ReadingOrder::Windows)
        return dividedUp(dividedUp(m_count, m_steps), batchSize);
    int64_t batches = 0;
    for (int64_t b = 0; b < m_streams; ++b)
        batches = std::max(batches, dividedUp(stream(b).end - stream(b).from, m_steps));
    return batches;
}

BatchPlaces Windows::evaluation(int64_t index, int64_t batchSize) const
{
    assert(index >= 0 && index < evaluationCount(batchSize));
    BatchPlaces batch;
    if (m_order == ReadingOrder::Windows)
        for (int64_t b = 0; b < batchSize; ++b)
            batch.sequences.push_back({(index * batchSize + b) * m_steps, m_count});
    else
        for (int64_t b = 0; b < m_streams; ++b) {
            batch.sequences.push_back(stream(b));
            batch.sequences.back().from += index * m_steps;
        }
    batch.fresh = m_order == ReadingOrder::Windows || index == 0;
    return batch;
}

std::vector<Stretch> Windows::evaluated(int64_t batches, int64_t batchSize) const
{
    if (m_order == ReadingOrder::Windows)
        return {{0, std::min(m_count, batches * batchSize * m_steps)}};
    std::vector<Stretch> found;
    for (int64_t b = 0; b < m_streams; ++b) {
        const Stretch whole = stream(b);
        found.push_back({whole.asked, std::clamp(whole.from + batches * m_steps, whole.asked, whole.end), whole.asked});
    }
    return found;
}

std::string Windows::evaluationText(const std::string& item) const
{
    if (m_order == ReadingOrder::Windows)
        return fmt::format("in windows of {}, each from a zero state", counted(m_steps, "step"));
    const int64_t first = stream(0).asked - stream(0).from;
    if (m_streams == 1)
        return first == 0 ? "as one stream from a zero state"
                          : fmt::format("as one stream, warmed up on the {} before", counted(first, item));
    return fmt::format("as {} of {}, each warmed up on the {} before it{}", counted(m_streams, "stream"),
                       counted(m_streamLength, item), counted(kWarmUp, item),
                       first == kWarmUp ? ""
                       : first == 0     ? ", the first from a zero state"
                                        : fmt::format(", the first on {}", grouped(first)));
}

} // namespace unroll
