// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"

#include <span>

namespace unroll {

/// How training walks through a text.
enum class TextOrder {
    Streams, // B contiguous streams evenly spaced, state carried: truncated backpropagation through time
    Windows  // windows at random places, each from a zero state
};

/// The targets of one part of a text: tokens [first, first + count), first >= 1. The input of a target is the token before it.
struct TargetRange {
    int64_t first = 1;
    int64_t count = 0;
};

/// Cuts batches of T = `steps` out of one part of a text. Refers to the tokens, which must outlive it.
class TextBatches {
public:
    TextBatches(std::span<const uint16_t> tokens, TargetRange range, TextOrder order, int64_t steps);

    /// At least one batch without padding can be made: batchSize * steps <= count, without overflow.
    bool holds(int64_t batchSize) const;

    /// Needs holds(batchSize).
    /// Streams: an epoch is E = floor(count / (B * T)) batches; stream b reads E * T tokens on from offset + b * E * T and
    /// is fresh in the first of them. The offset is drawn anew for each epoch from what the division leaves over, so
    /// every token has its turn.
    /// Windows: window b of step s is drawn for item s * B + b alone, so shards of a batch agree with the whole.
    Batch training(int64_t step, int64_t batchSize, uint64_t seed) const;

    /// Tilings that hold every target once. Streams: B streams of equal length, the last ones padded, fresh in batch 0.
    /// Windows: one after the other, window index * B + b, each from a zero state.
    int64_t evaluationCount(int64_t batchSize) const;
    Batch evaluation(int64_t index, int64_t batchSize) const;

private:
    Batch blank(int64_t batchSize) const;
    /// Writes targets [from, from + T) of the range, as far as they lie before `end`; pads the rest.
    void write(Batch& batch, int64_t sequence, int64_t from, int64_t end) const;
    int64_t streamLength(int64_t batchSize) const;

    std::span<const uint16_t> m_tokens;
    TargetRange m_range;
    TextOrder m_order;
    int64_t m_steps;
};

} // namespace unroll
