// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/lens/memory/memory.h"
#include "core/model/model.h"

#include <cstdint>
#include <stop_token>

namespace unroll::lenses::memory {

struct ContextRequest {
    std::int64_t budget =
        0; ///< steps to be read at most, all sequences and contexts together; a few targets are scored whatever it is
    std::int64_t longest = 0; ///< context; 0: that of training's sequences, twice that where states are carried
    std::stop_token end = {};
};

/// The curve on the validation split (on all data where there is none). Targets lie evenly over it, each with the
/// longest context before it.
ContextLoss contextLoss(Model& model, const Dataset& data, const ContextRequest& request);

/// From the losses of the same targets with each context: means, intervals (percentiles of 2,000 resamples of the
/// targets with a fixed seed), and what is enough. losses[i][k]: context i, target k; contexts ascend. Two contexts and
/// one target at least.
ContextLoss summarise(const std::vector<std::int64_t>& contexts, const std::vector<std::vector<double>>& losses);

} // namespace unroll::lenses::memory
