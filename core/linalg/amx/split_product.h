// SPDX-License-Identifier: GPL-3.0-or-later
// The torch side of split_tiles.h.
#pragma once

#include <ATen/core/Tensor.h>

namespace unroll::linalg {

/// Whether products may be made so: hasAmx().
bool hasSplitProducts();

struct SplitForm {
    at::Tensor bias;  ///< [columns], or undefined
    at::Tensor scale; ///< [depth], or undefined: along the depth
    at::Tensor* leftSums =
        nullptr;              ///< or absent: receives the sums of left's rows, [rows], without scale, added in fp64
    bool rightIsBf16 = false; ///< the numbers of right are bf16 numbers: three products instead of six
};

/// left diag(scale) right + bias, fp32 on the CPU, of any strides: [rows, depth] and [depth, columns]. On all threads,
/// the same bits whatever their number. Where a factor has Inf, NaN or numbers beyond 3.38e38, which have no three
/// parts, the library makes the whole product. No gradient.
at::Tensor splitProduct(const at::Tensor& left, const at::Tensor& right, const SplitForm& form = {});

} // namespace unroll::linalg
