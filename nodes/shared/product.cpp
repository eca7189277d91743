// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/product.h"

#include "core/linalg/products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>

namespace unroll::nodes {

at::Tensor factor(const PassContext& context, const at::Tensor& tensor)
{
    return context.bf16 ? tensor.to(at::kBFloat16) : tensor;
}

at::Tensor product(const PassContext& context, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    if (!context.bf16)
        return linalg::denseProduct(x, weight, bias);
    const at::Tensor y = at::linear(factor(context, x), factor(context, weight)).to(weight.scalar_type());
    return bias.defined() ? y + bias : y;
}

} // namespace unroll::nodes
