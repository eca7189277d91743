// SPDX-License-Identifier: GPL-3.0-or-later
// The dense layer as an op with gradients.
#include "core/linalg/products.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace unroll::linalg {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor asRows(const at::Tensor& tensor)
{
    return tensor.reshape({-1, tensor.size(-1)});
}

struct DenseProduct : torch::autograd::Function<DenseProduct> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              const std::optional<at::Tensor>& bias)
    {
        context->save_for_backward({x, weight});
        context->saved_data["bias"] = bias.has_value(); // what is not there cannot be asked about
        std::vector<std::int64_t> sizes = x.sizes().vec();
        sizes.back() = weight.size(0);
        return rowsTimesWeight(asRows(x), weight, bias, multiplierForRows(x, weight)).view(sizes);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1];
        const at::Tensor g = asRows(gradients[0]), rows = asRows(x);
        // Where gradients are asked for gradients of their own, torch's products have them.
        const bool again = at::GradMode::is_enabled();
        variable_list found(3);
        if (context->needs_input_grad(0))
            found[0] =
                gradientOfRows(g, weight, again ? Multiplier::Torch : multiplierForRows(g, weight)).view(x.sizes());
        at::Tensor* bias = context->saved_data["bias"].toBool() && context->needs_input_grad(2) ? &found[2] : nullptr;
        if (context->needs_input_grad(1))
            found[1] = gradientOfWeight(g, rows, again ? Multiplier::Torch : multiplierForWeight(g, rows), bias);
        else if (bias != nullptr)
            *bias = g.sum(0);
        return found;
    }
};

at::Tensor denseProductOp(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias)
{
    return denseProduct(x, weight, bias.value_or(at::Tensor()));
}

} // namespace

at::Tensor denseProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    const auto maybeBias = bias.defined() ? std::optional(bias) : std::nullopt;
    if (multiplierForRows(x, weight) == Multiplier::Torch) // its own operation does all three
        return at::linear(x, weight, maybeBias);
    return DenseProduct::apply(x, weight, maybeBias);
}

} // namespace unroll::linalg

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("dense_product(Tensor x, Tensor weight, Tensor? bias=None) -> Tensor", &unroll::linalg::denseProductOp);
}
