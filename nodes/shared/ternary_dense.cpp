// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/ternary_dense.h"

#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/custom_function.h>

namespace unroll::nodes {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kNormEpsilon = 1e-8;
constexpr double kFloor = 1e-5;
constexpr double kInt8Limit = 127;

/// s of each row.
at::Tensor rowScale(const at::Tensor& n)
{
    // Two passes, but vectorised ones; the maximum norm is not.
    return n.abs().amax({-1}, true).clamp_min_(kFloor).reciprocal_().mul_(kInt8Limit);
}

/// x_q of normalised rows. |n s| is at most 127 up to rounding, so nothing needs clamping.
at::Tensor quantiseRows(const at::Tensor& n)
{
    const at::Tensor s = rowScale(n);
    return (n * s).round_().div_(s);
}

struct TernaryWeight {
    at::Tensor codes; ///< -1, 0, 1
    at::Tensor scale; ///< a, a scalar
};

TernaryWeight quantiseWeight(const at::Tensor& weight)
{
    const at::Tensor a = weight.abs().mean().clamp_min_(kFloor);
    return {(weight / a).round_().clamp_(-1, 1), a};
}

at::Tensor weightGradient(const at::Tensor& effective, const at::Tensor& weight, TernaryGradient kind)
{
    if (kind == TernaryGradient::StraightThrough)
        return effective;
    const TernaryWeight ternary = quantiseWeight(weight);
    const at::Tensor throughScale = (effective * ternary.codes).sum() / static_cast<double>(weight.numel());
    // Below the floor the scale does not move with the weight.
    const at::Tensor moves = ternary.scale.gt(kFloor);
    return effective * ternary.scale + weight.sign() * (throughScale * moves);
}

struct TernaryDense : torch::autograd::Function<TernaryDense> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& gain,
                              const at::Tensor& weight, const std::optional<at::Tensor>& bias, TernaryGradient kind)
    {
        const at::Tensor scale = inverseRms(x, kNormEpsilon);
        const at::Tensor quantised = quantiseRows((x * scale).mul_(gain));
        TernaryWeight ternary = quantiseWeight(weight);
        const at::Tensor effective = ternary.codes.mul_(ternary.scale);
        context->save_for_backward({x, scale, gain, quantised, effective, weight});
        context->saved_data["kind"] = static_cast<std::int64_t>(kind);
        context->saved_data["bias"] = bias.has_value();
        return at::linear(quantised, effective, bias);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &scale = saved[1], &gain = saved[2], &quantised = saved[3];
        const at::Tensor &effective = saved[4], &weight = saved[5];
        const at::Tensor dy = gradients[0].reshape({-1, gradients[0].size(-1)});
        const at::Tensor dn = dy.mm(effective).view_as(x);
        const at::Tensor dEffective = dy.t().mm(quantised.reshape({-1, quantised.size(-1)}));
        const auto kind = static_cast<TernaryGradient>(context->saved_data["kind"].toInt());
        const RmsNormGradient normed = rmsNormBackward(dn, x, scale, gain);
        const at::Tensor dBias = context->saved_data["bias"].toBool() ? dy.sum(0) : at::Tensor();
        return {normed.x, normed.gain, weightGradient(dEffective, weight, kind), dBias, at::Tensor()};
    }
};

} // namespace

at::Tensor ternaryDense(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& weight, const at::Tensor& bias,
                        TernaryGradient gradient)
{
    return TernaryDense::apply(x, gain, weight, whereDefined(bias), gradient);
}

at::Tensor ternaryInputCodes(const at::Tensor& x, const at::Tensor& gain)
{
    const at::Tensor input = x.detach();
    const at::Tensor n = (input * inverseRms(input, kNormEpsilon)).mul_(gain.detach());
    return (n * rowScale(n)).round_();
}

} // namespace unroll::nodes
