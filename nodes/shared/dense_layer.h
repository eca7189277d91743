// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"
#include "nodes/shared/ternary_dense.h"

namespace unroll::nodes {

/// A dense layer of a block that has ternary ones, and full-precision ones beside them.
struct DenseLayer {
    at::Tensor gain;                     ///< [in], of the norm; undefined: full precision, without norm
    at::Tensor weight;                   ///< [out, in]
    at::Tensor bias;                     ///< [out], or undefined
    TernaryForm form;                    ///< where it is ternary
    mutable KeptTernaryWeight kept = {}; ///< likewise
};

/// The parameter that ternaryGradientParam describes.
TernaryGradient ternaryGradient(const BlockSetup& setup);

/// The layer's output, [..., out]. A ternary layer rounds by its own rule, whatever the precision of products.
at::Tensor applied(const PassContext& context, const DenseLayer& layer, const at::Tensor& x);

/// The integers that a ternary layer reads of x.
at::Tensor readCodes(const DenseLayer& layer, const at::Tensor& x);

} // namespace unroll::nodes
