// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace unroll {

/// How training walks through data that has an order: a text, a table of measurements.
enum class ReadingOrder {
    Streams, // B contiguous streams evenly spaced, state carried: truncated backpropagation through time
    Windows  // windows at random places, each from a zero state
};

/// What one sequence of a batch reads: items from `from` on, T of them as far as they lie before `end`.
struct Stretch {
    int64_t from = 0;
    int64_t end = 0;
};

/// Where a batch lies.
struct BatchPlaces {
    std::vector<Stretch> sequences; // B
    bool fresh = false;             // all begin from a zero state
};

/// Cuts batches of T = `steps` out of `count` >= 1 items in their order. Knows places alone: what an item is, its caller knows.
class Windows {
public:
    Windows(int64_t count, ReadingOrder order, int64_t steps);

    /// At least one batch without padding can be made: batchSize * steps <= count, without overflow.
    bool holds(int64_t batchSize) const;

    /// Needs holds(batchSize).
    /// Streams: an epoch is E = floor(count / (B * T)) batches; stream b reads E * T items on from offset + b * E * T and
    /// is fresh in the first of them. The offset is drawn anew for each epoch from what the division leaves over, so
    /// every item has its turn.
    /// Windows: window b of step s is drawn for item s * B + b alone, so shards of a batch agree with the whole.
    BatchPlaces training(int64_t step, int64_t batchSize, uint64_t seed) const;

    /// Tilings that hold every item once. Streams: B streams of equal length, the last ones cut short, fresh in batch 0.
    /// Windows: one after the other, window index * B + b, each from a zero state.
    int64_t evaluationCount(int64_t batchSize) const;
    BatchPlaces evaluation(int64_t index, int64_t batchSize) const;

    int64_t steps() const { return m_steps; }
    /// How many of its T steps a stretch fills.
    int64_t lengthOf(const Stretch& stretch) const;

private:
    int64_t streamLength(int64_t batchSize) const;

    int64_t m_count;
    ReadingOrder m_order;
    int64_t m_steps;
};

} // namespace unroll
