// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/train/bad_number.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Means over the scored targets of a split or a slice of it. Over none of them there is no mean.
struct Evaluation {
    std::optional<double> loss; ///< per target, in the unit of the loss
    std::optional<double>
        accuracy;             ///< of the targets that count for it; nothing where they are numbers, or the loss is none
    std::int64_t targets = 0; ///< classes, or single numbers
    /// Confusion counts of labelled data, [actual][predicted], row-major. Empty: there
    /// are none.
    std::vector<std::int64_t> confusion;
    std::optional<BadNode> bad; ///< where the first number came from that is not finite
};

/// Why a loss below the entropy of these targets (nats per target) is impossible: with the true probabilities the total
/// is by chance n nats lower in at most one case of e^n (Markov's inequality for the ratio of both
/// likelihoods). Empty: it is not, or chance will do.
std::string leakIn(const Evaluation& evaluation, std::optional<double> floor, const std::string& split);

/// Sums for a mean over several batches.
struct Tally {
    double loss = 0;
    std::int64_t targets = 0;
    std::int64_t right = 0;
    std::int64_t counted = 0;
    std::int64_t labels = 0; ///< 0: guesses are not distinguished
    std::vector<std::int64_t> confusion = std::vector<std::int64_t>(static_cast<std::size_t>(labels * labels));
    std::optional<BadNode> bad = {};

    void addGuesses(const Batch& batch, const at::Tensor& prediction);
    Evaluation mean() const;
};

} // namespace unroll
