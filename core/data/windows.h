// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// How training walks through data that has an order: a text, a table of measurements.
enum class ReadingOrder {
    Streams, // B contiguous streams evenly spaced, state carried: truncated backpropagation through time
    Windows  // windows at random places, each from a zero state
};

/// What one sequence of a batch reads: items from `from` on, T of them as far as they lie before `end`.
struct Stretch {
    int64_t from = 0; // below 0: items that lie before the part
    int64_t end = 0;
    int64_t asked = 0; // what lies before it is read for the state's sake: nothing is asked there

    bool asks(int64_t item) const { return item >= asked; }
};

/// Where a batch lies.
struct BatchPlaces {
    std::vector<Stretch> sequences; // B
    bool fresh = false;             // all begin from a zero state
};

/// Where data of `count` items divide: what is trained on ends, and what is validated on; the rest is the test.
struct Division {
    int64_t training = 0;
    int64_t validation = 0;
};
/// Fractions of at least 0 that add up to less than 1. The training part is floor(count * (1 - both)).
Division divided(int64_t count, double validationFraction, double testFraction);

/// Cuts batches of T = `steps` out of `count` >= 1 items in their order. Knows places alone: what an item is, its
/// caller knows.
class Windows {
public:
    /// `before`: so many items lie in front of the first one, of the same data.
    Windows(int64_t count, ReadingOrder order, int64_t steps, int64_t before = 0);

    /// At least one batch without padding can be made: batchSize * steps <= count, without overflow.
    bool holds(int64_t batchSize) const;

    /// Needs holds(batchSize).
    /// Streams: an epoch is E = floor(count / (B * T)) batches; stream b reads E * T items on from offset + b * E * T
    /// and is fresh in the first of them. The offset is drawn again for each epoch from what the division leaves over,
    /// so every item has its turn.
    /// Windows: window b of step s is drawn for item s * B + b alone, so shards of a batch agree with the whole.
    BatchPlaces training(int64_t step, int64_t batchSize, uint64_t seed) const;

    /// Tilings that ask for every item once.
    /// Streams: whatever the batch size, one stream of up to 8,191 items, more of equal length where there are more
    /// items, at most 32. Each begins from a zero state 1,024 items before its own, or where the data begin, and asks
    /// for nothing until it comes to them. Windows: one after the other, window index * B + b, each from a zero state.
    int64_t evaluationCount(int64_t batchSize) const;
    BatchPlaces evaluation(int64_t index, int64_t batchSize) const;
    /// Batches at the beginning that ask for little or nothing: they bring states to where the items begin.
    int64_t warmUp() const;
    /// What the first `batches` of them ask for: stretches without a common item.
    std::vector<Stretch> evaluated(int64_t batches, int64_t batchSize) const;
    /// How evaluation reads, for a sentence: "as one stream, warmed up on the 160 rows before". `item`: "row".
    std::string evaluationText(const std::string& item) const;

    int64_t steps() const { return m_steps; }
    /// How many of its T steps a stretch fills.
    int64_t lengthOf(const Stretch& stretch) const;

private:
    /// Stream b of evaluation, from where it is warmed up to its end.
    Stretch stream(int64_t b) const;

    int64_t m_count;
    ReadingOrder m_order;
    int64_t m_steps;
    int64_t m_before;
    int64_t m_streams;      // of evaluation
    int64_t m_streamLength; // items of each but the last
};

} // namespace unroll
