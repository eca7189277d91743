// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/weights/spread.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace unroll::lenses::weights {

/// Of all numbers of some tensors, on their device. Numbers that are not finite are left out.
Spread spreadOfValues(const std::vector<at::Tensor>& tensors);
Spread spreadOfSizes(const std::vector<at::Tensor>& tensors);

} // namespace unroll::lenses::weights
