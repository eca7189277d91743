// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace unroll {

/// What the newest update of a model did. The gradients that it went by, clipped, are still those of the weights.
struct LastUpdate {
    std::int64_t step = 0;          ///< updates done, this one included
    std::vector<at::Tensor> before; ///< the weights before it, in the order of Model::weights()
};

} // namespace unroll
