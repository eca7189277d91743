// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/rms_norm.h"

#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <torch/csrc/autograd/custom_function.h>

namespace unroll::nodes {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// One node in the autograd graph where composed operations would keep four arrays.
struct RmsNorm : torch::autograd::Function<RmsNorm> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const std::optional<at::Tensor>& maybeGain,
                              double epsilon)
    {
        const at::Tensor gain = maybeGain.value_or(at::Tensor());
        at::Tensor scale = inverseRms(x, epsilon);
        at::Tensor y = x * scale;
        if (gain.defined())
            y.mul_(gain);
        context->save_for_backward({x, scale, gain});
        return y;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        RmsNormGradient gradient = rmsNormBackward(gradients[0], saved[0], saved[1], saved[2]);
        return {gradient.x, gradient.gain, at::Tensor()};
    }
};

} // namespace

at::Tensor inverseRms(const at::Tensor& x, double epsilon)
{
    const double count = static_cast<double>(x.size(-1));
    return at::linalg_vector_norm(x, 2, {-1}, true).square_().div_(count).add_(epsilon).rsqrt_();
}

RmsNormGradient rmsNormBackward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& scale,
                                const at::Tensor& gain)
{
    const at::Tensor normed = x * scale;
    const at::Tensor g = gain.defined() ? dy * gain : dy;
    const at::Tensor along = (g * normed).mean({-1}, true);
    RmsNormGradient gradient;
    gradient.x = (g - normed * along) * scale;
    if (gain.defined())
        gradient.gain = (dy * normed).sum_to_size(gain.sizes());
    return gradient;
}

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& gain, double epsilon)
{
    return RmsNorm::apply(x, whereDefined(gain), epsilon);
}

} // namespace unroll::nodes
