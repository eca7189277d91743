// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activations.h"

#include "nodes/shared/activation_parts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/celu.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/hardshrink.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mish.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/selu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/softshrink.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <c10/util/Exception.h>

#include <map>
#include <tuple>

namespace unroll::nodes {

namespace {

/// Not at::hardsigmoid: its gradient, on a GPU its values too, multiplies doubles by 1/6 rounded to float: 2e-8 off.
at::Tensor hardSigmoid(const at::Tensor& a)
{
    return (a + 3).clamp(0, 6) / 6;
}

/// The middle piece has slope 0 at -1 and 1 at 1, as its neighbours.
at::Tensor sparsePlus(const at::Tensor& a)
{
    const at::Tensor middle = a.clamp(-1, 1) + 1;
    return middle * middle / 4 + at::relu(a - 1);
}

/// Where sparsemax of d, whose largest feature is 0, is 0 (Martins, Astudillo 2016, algorithm 1). That is so wherever d
/// is -1 or less: held there, sums are small whatever came in. A row with NaN has no such place.
at::Tensor isShut(const at::Tensor& d)
{
    const at::Tensor sorted = std::get<0>(at::sort(d.clamp_min(-1), -1, /*descending=*/true));
    const at::Tensor place = at::arange(1, d.size(-1) + 1, d.options());
    const at::Tensor open = (sorted * place + 1).gt(sorted.cumsum(-1));
    return d.le((sorted.mul(open).sum(-1, true) - 1) / open.sum(-1, true));
}

/// The features that are open, moved together so that they sum to 1. What is sorted needs no gradient: it only says
/// which these are.
at::Tensor sparsemax(const at::Tensor& a)
{
    const at::Tensor d = a - a.detach().amax(-1, true);
    const at::Tensor shut = isShut(d.detach());
    const at::Tensor above = d.masked_fill(shut, 0).sum(-1, true) - 1;
    return at::relu(d - above / shut.logical_not().sum(-1, true));
}

const std::map<std::string, ElementFunction>& functionsByName()
{
    using T = at::Tensor;
    static const std::map<std::string, ElementFunction> functions = {
        {"tanh", &at::tanh},
        {"sigmoid", &at::sigmoid},
        {"relu", [](const T& a) { return at::relu(a); }},
        {"silu", &at::silu},
        {"gelu", [](const T& a) { return at::gelu(a); }},
        {"softplus", [](const T& a) { return at::softplus(a); }},
        {"softsign", [](const T& a) { return a / (a.abs() + 1); }},
        {"identity", [](const T& a) { return a; }},
        {"elu", [](const T& a) { return at::elu(a); }},
        {"celu", [](const T& a) { return at::celu(a); }},
        {"exponential", &at::exp},
        {"selu", [](const T& a) { return at::selu(a); }},
        {"leaky_relu", [](const T& a) { return at::leaky_relu(a, 0.2); }},
        {"relu6", [](const T& a) { return a.clamp(0, 6); }},
        {"mish", [](const T& a) { return at::mish(a); }},
        {"log_sigmoid", [](const T& a) { return at::log_sigmoid(a); }},
        {"hard_sigmoid", &hardSigmoid},
        {"hard_silu", [](const T& a) { return a * hardSigmoid(a); }},
        {"hard_tanh", [](const T& a) { return a.clamp(-1, 1); }},
        {"hard_shrink", [](const T& a) { return at::hardshrink(a, 0.5); }},
        {"soft_shrink", [](const T& a) { return at::softshrink(a, 0.5); }},
        {"tanh_shrink", [](const T& a) { return a - at::tanh(a); }},
        {"squareplus", [](const T& a) { return (a + at::sqrt(a * a + 4)) / 2; }},
        {"sparse_plus", &sparsePlus},
        {"sparse_sigmoid", [](const T& a) { return (a + 1).clamp(0, 2) / 2; }},
        {"softmax", [](const T& a) { return at::softmax(a, -1); }},
        {"log_softmax", [](const T& a) { return at::log_softmax(a, -1); }},
        {"sparsemax", &sparsemax},
    };
    return functions;
}

} // namespace

ElementFunction activationFunction(const std::string& name)
{
    const auto found = functionsByName().find(name);
    TORCH_CHECK(found != functionsByName().end(), "there is no activation ", name);
    return found->second;
}

ElementFunction elementFunction(const std::string& name)
{
    const ElementFunction function = activationFunction(name);
    TORCH_CHECK(functionKind(name) == FunctionKind::Elementwise, name, " is not elementwise");
    return function;
}

} // namespace unroll::nodes
