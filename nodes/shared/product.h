// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

namespace unroll::nodes {

/// The tensor as the pass wants the factors of its matrix products: rounded to bfloat16, or as it is.
at::Tensor factor(const PassContext& context, const at::Tensor& tensor);

/// x W^T + b over the last dimension; `bias` may be undefined. In bfloat16 the factors and each sum are rounded; the
/// bias is added, and the result given, in the type of the weight.
at::Tensor product(const PassContext& context, const at::Tensor& x, const at::Tensor& weight,
                   const at::Tensor& bias = {});

} // namespace unroll::nodes
