// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_activations.h"

#include <cassert>
#include <map>
#include <numeric>
#include <vector>

namespace unroll::nodes {

namespace {

using onnx::Value;
constexpr double kSeluScale = 1.0507009873554804934193349852946, kSeluAlpha = 1.6732632423543772848170429916717;

Value heldWithin(const Value& a, double low, double high)
{
    return minimum(maximum(a, low), high);
}

Value hardSigmoidOf(const Value& a)
{
    return heldWithin(a + 3, 0, 6) / 6.0;
}

/// elu with `alpha` below 0, where exp has no large numbers.
Value eluOf(const Value& a, double alpha)
{
    return relu(a) + alpha * expm1(minimum(a, 0.0));
}

Value sparsePlusOf(const Value& a)
{
    const Value middle = heldWithin(a, -1, 1) + 1;
    return middle * middle / 4 + relu(a - 1);
}

/// As in activations.cpp; with no gradients to care for, the first threshold is the one.
Value sparsemaxOf(const Value& a, std::int64_t features)
{
    std::vector<double> places(static_cast<std::size_t>(features));
    std::iota(places.begin(), places.end(), 1.0);
    const Value place = a.graph->constant("places", {features}, places);
    const Value d = a - largest(a, -1, true), order = sorted(maximum(d, -1.0), features);
    const Value open = where(greater(order * place + 1, cumsum(order, -1)), 1.0, 0.0);
    return relu(d - (sum(order * open, -1, true) - 1) / sum(open, -1, true));
}

} // namespace

Value elementOperators(const std::string& name, const Value& a)
{
    using Operators = Value (*)(const Value&);
    static const std::map<std::string, Operators> known = {
        {"tanh", [](const Value& x) { return tanh(x); }},
        {"sigmoid", [](const Value& x) { return sigmoid(x); }},
        {"relu", [](const Value& x) { return relu(x); }},
        {"silu", [](const Value& x) { return silu(x); }},
        {"gelu", [](const Value& x) { return gelu(x); }},
        {"softplus", [](const Value& x) { return softplus(x); }},
        {"softsign", [](const Value& x) { return softsign(x); }},
        {"identity", [](const Value& x) { return x; }},
        {"elu", [](const Value& x) { return eluOf(x, 1); }},
        {"celu", [](const Value& x) { return eluOf(x, 1); }},
        {"exponential", [](const Value& x) { return exp(x); }},
        {"selu", [](const Value& x) { return kSeluScale * eluOf(x, kSeluAlpha); }},
        {"leaky_relu", [](const Value& x) { return maximum(x, 0.2 * x); }},
        {"relu6", [](const Value& x) { return heldWithin(x, 0, 6); }},
        {"mish", [](const Value& x) { return x * tanh(softplus(x)); }},
        {"log_sigmoid", [](const Value& x) { return logSigmoid(x); }},
        {"hard_sigmoid", &hardSigmoidOf},
        {"hard_silu", [](const Value& x) { return x * hardSigmoidOf(x); }},
        {"hard_tanh", [](const Value& x) { return heldWithin(x, -1, 1); }},
        {"hard_shrink", [](const Value& x) { return where(greater(abs(x), 0.5), x, 0.0); }},
        {"soft_shrink", [](const Value& x) { return relu(x - 0.5) - relu(-x - 0.5); }},
        {"tanh_shrink", [](const Value& x) { return x - tanh(x); }},
        {"squareplus", [](const Value& x) { return (x + sqrt(x * x + 4)) / 2; }},
        {"sparse_plus", &sparsePlusOf},
        {"sparse_sigmoid", [](const Value& x) { return heldWithin(x + 1, 0, 2) / 2; }},
    };
    const auto found = known.find(name);
    assert(found != known.end());
    return found->second(a);
}

Value activationOperators(const std::string& name, const Value& a, std::int64_t features)
{
    if (name == "softmax")
        return softmax(a, -1);
    if (name == "log_softmax")
        return logSoftmax(a, -1);
    return name == "sparsemax" ? sparsemaxOf(a, features) : elementOperators(name, a);
}

} // namespace unroll::nodes
