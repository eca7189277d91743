// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/ternary_dense.h"

#include "core/model/rounding_record.h"
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/custom_function.h>

namespace unroll::nodes {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using kernels::kTernaryFloor;

constexpr double kInt8Limit = 127;

/// s of each row.
at::Tensor rowScale(const at::Tensor& n)
{
    // Two passes, but vectorised ones; the maximum norm is not.
    return n.abs().amax({-1}, true).clamp_min_(kTernaryFloor).reciprocal_().mul_(kInt8Limit);
}

/// x_q of normalised rows. |n s| is at most 127 up to rounding, so nothing needs clamping.
at::Tensor quantiseRows(const at::Tensor& n)
{
    const at::Tensor s = rowScale(n);
    return (n * s).round_().div_(s);
}

/// Of a weight taken apart into rows' groups, [scales, N].
struct TernaryWeight {
    at::Tensor codes; ///< -1, 0, 1
    at::Tensor scale; ///< a, [scales, 1]
};

TernaryWeight quantiseWeight(const at::Tensor& weight, std::int64_t scales)
{
    const at::Tensor groups = weight.view({scales, -1});
    const at::Tensor a = groups.abs().mean({1}, true).clamp_min_(kTernaryFloor);
    return {(groups / a).round_().clamp_(-1, 1), a};
}

/// The definition.
struct TernaryDense : torch::autograd::Function<TernaryDense> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& gain,
                              const at::Tensor& weight, const std::optional<at::Tensor>& bias, TernaryForm form)
    {
        const at::Tensor scale = inverseRms(x, form.epsilon);
        const at::Tensor quantised = quantiseRows((x * scale).mul_(gain));
        TernaryWeight ternary = quantiseWeight(weight, form.scales);
        const at::Tensor effective = ternary.codes.mul_(ternary.scale).view_as(weight);
        context->save_for_backward({x, scale, gain, quantised, effective, weight, ternary.scale});
        context->saved_data["gradient"] = static_cast<std::int64_t>(form.gradient);
        context->saved_data["scales"] = form.scales;
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
        const TernaryForm form = {.gradient = static_cast<TernaryGradient>(context->saved_data["gradient"].toInt()),
                                  .scales = context->saved_data["scales"].toInt()};
        const RmsNormGradient normed = rmsNormBackward(dn, x, scale, gain);
        const at::Tensor dBias = context->saved_data["bias"].toBool() ? dy.sum(0) : at::Tensor();
        return {normed.x, normed.gain, kernels::ternaryWeightGradient(dEffective, effective, saved[6], weight, form),
                dBias, at::Tensor()};
    }
};

} // namespace

bool hasTernaryKernel(const at::Tensor& x)
{
    return (x.is_cpu() || x.is_cuda()) && x.scalar_type() == at::kFloat && !RoundingRecord::listens();
}

const kernels::TernaryWeight& KeptTernaryWeight::of(const at::Tensor& weight, std::int64_t scales)
{
    if (!m_storage || !m_storage.is_alias_of(weight.storage()) || m_version != weight._version()) {
        m_packed = kernels::packTernary(weight, scales);
        m_storage = weight.storage();
        m_version = weight._version();
    }
    return m_packed;
}

at::Tensor ternaryDense(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& weight, const at::Tensor& bias,
                        TernaryForm form)
{
    if (hasTernaryKernel(x))
        return kernels::ternaryDense(x, gain, weight, whereDefined(bias), form);
    return TernaryDense::apply(x, gain, weight, whereDefined(bias), form);
}

at::Tensor ternaryInputCodes(const at::Tensor& x, const at::Tensor& gain, double epsilon)
{
    const at::Tensor input = x.detach();
    if (hasTernaryKernel(input))
        return kernels::ternaryRows(input, gain.detach(), epsilon).codes.to(at::kFloat);
    const at::Tensor n = (input * inverseRms(input, epsilon)).mul_(gain.detach());
    return (n * rowScale(n)).round_();
}

} // namespace unroll::nodes
