// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/text_batches.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// What an n-gram model of the training part loses on the parts behind it. The order is the one that does best on the
/// beginning of the validation part.
struct NgramBaseline {
    struct Texts {
        TokenStore tokens;
        TargetRange training, validation, test;
        int64_t classes = 0;
        std::string unit; ///< "character"
    };

    /// For memory and time, whatever the size of the text and of its vocabulary.
    struct Limits {
        int64_t counted = 2'000'000; ///< training tokens, the last ones
        int64_t scored = 6'000'000;  ///< targets of both parts, the first ones of each
        int64_t tried = 200'000;     ///< validation targets that the orders are compared on, the first ones
    };

    struct Order {
        int64_t grams = 0; ///< different n-grams of this length and of the shorter ones
        double nats = 0;   ///< mean over the validation targets that were tried
    };

    std::string why; ///< it cannot be had, as a sentence says it; empty: it can
    int64_t order = 0;
    std::vector<Order> orders;     ///< from 1 on, all that were counted
    std::string guess;             ///< "6-gram, Kneser-Ney"
    std::vector<float> validation; ///< nats of each target that is scored, from the first on
    std::vector<float> test;
    /// "the first 200,000 bytes of the validation part": what the orders are compared on, and what is scored. Empty:
    /// the whole part.
    std::string triedOn, validationOn, testOn;

    static NgramBaseline of(const Texts& texts);
    static NgramBaseline of(const Texts& texts, const Limits& limits);
    /// The same, counted once in this process: windows, checks and runs of one text share it. The last few texts are
    /// kept.
    static std::shared_ptr<const NgramBaseline> shared(const Texts& texts);

    /// Its mean over the targets of these stretches of a part, Validation or Test, as far as they are scored, which the
    /// guess says where they are not. Nothing where none is.
    std::optional<Baseline> over(Split split, const std::vector<Stretch>& stretches) const;
};

} // namespace unroll
