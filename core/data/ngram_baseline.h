// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/text_batches.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace unroll {

/// What an n-gram model of the training part loses on the parts behind it. The order is the one that does best on the
/// validation part.
struct NgramBaseline {
    struct Texts {
        std::span<const uint16_t> tokens;
        TargetRange training, validation, test;
        int64_t classes = 0;
        std::string unit;    ///< "character"
        int64_t skipped = 0; ///< training tokens in front of these, which are not counted
    };

    struct Order {
        int64_t grams = 0; ///< different n-grams of this length and of the shorter ones
        double nats = 0;   ///< mean over the first 200,000 validation targets
    };

    std::string why; ///< it cannot be had, as a sentence says it; empty: it can
    int64_t order = 0;
    std::vector<Order> orders;     ///< from 1 on, all that were counted
    std::string guess;             ///< "6-gram, Kneser-Ney"
    std::vector<float> validation; ///< nats of each target
    std::vector<float> test;

    /// Bounds for memory and time: training tokens that are counted, the last ones; targets that are scored.
    static constexpr int64_t kMostCounted = 2'000'000;
    static constexpr int64_t kMostScored = 6'000'000;
    static constexpr int64_t kMostClasses = 65'536;
    static NgramBaseline of(const Texts& texts);
    /// Without a look at the tokens; empty: it can be had.
    static std::string whyNot(const Texts& texts);
    /// The same, counted once in this process: windows, checks and runs of one text share it. The last few texts are
    /// kept.
    static std::shared_ptr<const NgramBaseline> shared(const Texts& texts);
};

} // namespace unroll
