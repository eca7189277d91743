// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/data/token_store.h"
#include "core/data/windows.h"

namespace unroll {

/// The targets of one part of a text: tokens [first, first + count), first >= 1. The input of a target is the token
/// before it.
struct TargetRange {
    int64_t first = 1;
    int64_t count = 0;
    int64_t before = 0; // targets of the same text that lie in front of it

    bool operator==(const TargetRange&) const = default;
};

/// Cuts batches of T = `steps` out of one part of a text.
class TextBatches {
public:
    TextBatches(TokenStore tokens, TargetRange range, ReadingOrder order, int64_t steps);

    /// See Windows, whose items are the targets.
    bool holds(int64_t batchSize) const { return m_windows.holds(batchSize); }
    Batch training(int64_t step, int64_t batchSize, uint64_t seed) const;
    int64_t evaluationCount(int64_t batchSize) const { return m_windows.evaluationCount(batchSize); }
    Batch evaluation(int64_t index, int64_t batchSize) const;
    const Windows& windows() const { return m_windows; }

private:
    Batch written(const BatchPlaces& places) const;
    void write(Batch& batch, int64_t sequence, const Stretch& stretch) const;

    TokenStore m_tokens;
    TargetRange m_range;
    Windows m_windows;
};

} // namespace unroll
