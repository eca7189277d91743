// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_layer.h"

#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/core/grad_mode.h>

namespace unroll::nodes {

TernaryGradient ternaryGradient(const BlockSetup& setup)
{
    return setup.text("gradient") == "keras" ? TernaryGradient::Keras : TernaryGradient::StraightThrough;
}

at::Tensor applied(const PassContext& context, const DenseLayer& layer, const at::Tensor& x)
{
    if (!layer.gain.defined())
        return product(context, x, layer.weight, layer.bias);
    if (!at::GradMode::is_enabled() && hasTernaryKernel(x))
        return kernels::ternaryLayer(x, layer.gain, layer.kept.of(layer.weight, layer.form.scales),
                                     whereDefined(layer.bias), layer.form.epsilon)
            .y;
    return ternaryDense(x, layer.gain, layer.weight, layer.bias, layer.form);
}

at::Tensor readCodes(const DenseLayer& layer, const at::Tensor& x)
{
    return ternaryInputCodes(x, layer.gain, layer.form.epsilon);
}

} // namespace unroll::nodes
