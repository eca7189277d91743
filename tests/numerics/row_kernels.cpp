// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/numerics/row_kernels.h"

#include "core/kernels/attention/attention.h"
#include "core/kernels/attention/attention_case.h"
#include "core/kernels/reflections/reflections.h"
#include "core/kernels/reflections/reflections_case.h"
#include "core/kernels/ternary/ternary.h"
#include "core/linalg/products.h"
#include "tests/numerics/collected.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/where.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace unroll::kernels::test {
namespace {

Tensors reflectedNumbers(Draw& draw, std::int64_t rows, std::int64_t width)
{
    return {draw.normal({rows, 2 * std::min(width, kMaxReflectedRows)}) * 0.7};
}

/// Queries, keys and values of one head of one sequence; as many features as `width`, but an even number.
Tensors oneWindow(Draw& draw, std::int64_t rows, std::int64_t width)
{
    return {draw.normal({rows, 1, 3 * (width + width % 2)})};
}

at::Tensor attendedBy(at::Tensor (*function)(const at::Tensor&, std::int64_t, const at::Tensor&, const at::Tensor&),
                      const at::Tensor& qkv)
{
    const Turned turned = turnedBy(qkv.size(0), qkv.size(2) / 3, qkv.scalar_type());
    return function(qkv, 1, turned.cos, turned.sin);
}

constexpr std::int64_t kDeep = 8192; ///< products that are summed

/// x [rows, in], weight, bias; in = width, and a few more outputs, but no more than keep a deep product short. One
/// input has many outputs, which its gradient sums over.
Tensors denseLayer(Draw& draw, std::int64_t rows, std::int64_t width)
{
    constexpr std::int64_t mostOutputs = 67;
    const std::int64_t outputs = width == 1 ? kDeep : std::min(width + 4, mostOutputs);
    return {draw.normal({rows, width}), draw.normal({outputs, width}), draw.normal({outputs})};
}

/// The three products by AMX, which denseProduct takes for many rows alone.
struct ProductsByAmx : torch::autograd::Function<ProductsByAmx> {
    static constexpr linalg::Multiplier kBy = linalg::Multiplier::Amx;

    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              const at::Tensor& bias)
    {
        context->save_for_backward({x, weight});
        return linalg::rowsTimesWeight(x, weight, bias, kBy);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor& g = gradients[0];
        return {linalg::gradientOfRows(g, saved[1], kBy), linalg::gradientOfWeight(g, saved[0], kBy), g.sum(0)};
    }
};

at::Tensor denseByAmx(const Tensors& inputs)
{
    return ProductsByAmx::apply(inputs[0], inputs[1], inputs[2]);
}

/// With deep sums: along the inputs, the outputs, and the rows.
RowKernel dense(const std::string& name, RowKernel::Function kernel)
{
    const RowKernel::Function definition = [](const Tensors& inputs) {
        return at::linear(inputs[0], inputs[1], inputs[2]);
    };
    const std::vector<RowsAndWidth> deep = {{101, kDeep}, {101, 1}, {kDeep, 33}};
    return {name, {"x", "weight", "bias"}, &denseLayer, definition, kernel, deep};
}

/// Moves what would be rounded either way, 1/100 or less from the middle between two integers, so that fp32 and fp64
/// round alike.
at::Tensor awayFromMiddles(at::Tensor numbers, const at::Tensor& scale)
{
    const at::Tensor steps = numbers.to(at::kDouble) * scale;
    const at::Tensor close = (steps - steps.floor() - 0.5).abs().lt(0.01);
    return at::where(close, (steps.floor() + 0.45).div(scale).to(at::kFloat), numbers);
}

at::Tensor normed(const at::Tensor& x, const at::Tensor& gain)
{
    return x * (x.square().mean({-1}, true) + 1e-8).rsqrt() * gain;
}

/// x [rows, in], gain, weight, bias; in = width, and a few more outputs.
Tensors ternaryLayer(Draw& draw, std::int64_t rows, std::int64_t width)
{
    at::Tensor x = draw.normal({rows, width}), gain = draw.uniform({width}) + 0.5;
    at::Tensor weight = draw.normal({width + 4, width});
    for (int turn = 0; turn < 8; ++turn) { // what is moved moves the scales too
        const at::Tensor n = normed(x.to(at::kDouble), gain.to(at::kDouble));
        x = awayFromMiddles(x, n / x.to(at::kDouble) * 127 / n.abs().amax({-1}, true));
        weight = awayFromMiddles(weight, 1 / weight.to(at::kDouble).abs().mean());
    }
    return {x, gain, weight, draw.normal({width + 4})};
}

/// Rounded, with the gradient of what is not rounded.
at::Tensor straightThrough(const at::Tensor& exact, const at::Tensor& rounded)
{
    return exact + (rounded - exact).detach();
}

template <TernaryGradient gradient>
at::Tensor ternaryDefinition(const Tensors& inputs)
{
    const at::Tensor n = normed(inputs[0], inputs[1]), &weight = inputs[2];
    const at::Tensor s = 127 / n.abs().amax({-1}, true).clamp_min(1e-5);
    const at::Tensor read = straightThrough(n, (n * s).round() / s);
    const at::Tensor a = weight.abs().mean().clamp_min(1e-5), codes = (weight / a).round().clamp(-1, 1);
    const at::Tensor effective = gradient == TernaryGradient::StraightThrough ? straightThrough(weight, codes * a)
                                                                              : straightThrough(weight, codes) * a;
    return at::linear(read, effective, inputs[3]);
}

template <TernaryGradient gradient>
at::Tensor byTernary(const Tensors& inputs)
{
    return ternaryDense(inputs[0], inputs[1], inputs[2], inputs[3], {.gradient = gradient});
}

/// The numbers of a call, and how large a gradient arrives.
struct RowTrial {
    Tensors values;
    double gradients = 1;
    std::string call; ///< in words
};

std::vector<Named> called(RowKernel::Function function, const RowKernel& kernel, const RowTrial& trial,
                          at::ScalarType type, at::Device device = at::kCPU)
{
    Tensors inputs;
    for (const at::Tensor& value : trial.values)
        inputs.push_back(leaf(value, type, device));
    const at::Tensor y = function(inputs);
    const at::Tensor weights = Draw(y.numel()).normal(y.sizes()) * trial.gradients;
    const Tensors found = gradients({y}, {weights}, inputs);
    std::vector<Named> named{{"y", y.detach().cpu()}};
    for (std::size_t i = 0; i < found.size(); ++i)
        named.push_back({"gradient of " + kernel.inputs[i], found[i].cpu()});
    return named;
}

template <TernaryGradient gradient>
RowKernel ternary(const std::string& name)
{
    return {name,
            {"x", "gain", "weight", "bias"},
            &ternaryLayer,
            &ternaryDefinition<gradient>,
            &byTernary<gradient>,
            {},
            /*hasCuda=*/true,
            /*anySize=*/false};
}

} // namespace

namespace {

std::vector<RowKernel> madeRowKernels()
{
    std::vector<RowKernel> kernels = {
        ternary<TernaryGradient::StraightThrough>("ternary_dense"),
        ternary<TernaryGradient::Keras>("ternary_dense, gradient of Keras-MML"),
        {"reflections",
         {"numbers"},
         &reflectedNumbers,
         [](const Tensors& inputs) { return twoReflections(inputs[0]); },
         [](const Tensors& inputs) { return reflections(inputs[0]); },
         {},
         /*hasCuda=*/false,
         /*anySize=*/false},
        {"causal_attention",
         {"qkv"},
         &oneWindow,
         [](const Tensors& inputs) { return attendedBy(&attentionByDefinition, inputs[0]); },
         [](const Tensors& inputs) { return attendedBy(&causalAttention, inputs[0]); },
         {},
         /*hasCuda=*/false,
         /*anySize=*/false},
        dense("dense_product",
              [](const Tensors& inputs) { return linalg::denseProduct(inputs[0], inputs[1], inputs[2]); })};
    if (linalg::hasAmxBackend())
        kernels.push_back(dense("dense_product, by AMX", &denseByAmx));
    return kernels;
}

} // namespace

const std::vector<RowKernel>& rowKernels()
{
    static const std::vector<RowKernel> kernels = madeRowKernels();
    return kernels;
}

namespace {

RowTrial drawn(const RowKernel& kernel, RowsAndWidth at)
{
    Draw draw(static_cast<std::uint64_t>(at.rows * 1000 + at.width));
    return {kernel.draw(draw, at.rows, at.width), 1,
            std::to_string(at.rows) + " rows, width " + std::to_string(at.width)};
}

/// Of all sizes in rows and widths.
std::vector<RowsAndWidth> sizesOf(const RowKernel& kernel, Extent extent)
{
    const std::vector<std::int64_t> counts = extent == Extent::Whole
                                                 ? std::vector<std::int64_t>{1, 2, 63, 64, 65, 1000, 4097}
                                                 : std::vector<std::int64_t>{1, 65};
    std::vector<RowsAndWidth> sizes;
    for (const std::int64_t rows : counts)
        for (const std::int64_t width : {7, 33, 131})
            sizes.push_back({rows, width});
    const bool all = extent == Extent::Whole || kernel.more.empty();
    sizes.insert(sizes.end(), kernel.more.begin(), all ? kernel.more.end() : kernel.more.begin() + 1);
    return sizes;
}

/// The same call with numbers, and with gradients, that have all but vanished or exploded.
std::vector<RowTrial> inAllSizes(const RowKernel& kernel, RowsAndWidth at)
{
    std::vector<RowTrial> trials;
    for (const double size : kOtherSizes) {
        RowTrial trial = drawn(kernel, at);
        trial.gradients = size;
        trial.call += "; gradients of " + factorText(size);
        trials.push_back(trial);
        if (!kernel.anySize)
            continue;
        trial = drawn(kernel, at);
        trial.values[0].mul_(size);
        trial.call += "; " + kernel.inputs[0] + " of " + factorText(size);
        trials.push_back(trial);
    }
    return trials;
}

} // namespace

Accuracy measure(const RowKernel& kernel, Extent extent, at::Device device)
{
    std::vector<RowTrial> trials;
    for (const RowsAndWidth at : sizesOf(kernel, extent))
        trials.push_back(drawn(kernel, at));
    std::vector<RowsAndWidth> inEverySize = kernel.more;
    inEverySize.push_back({65, 33});
    for (const RowsAndWidth at : inEverySize)
        std::ranges::move(inAllSizes(kernel, at), std::back_inserter(trials));
    Collected collected;
    for (const RowTrial& trial : trials) {
        const auto byKernel = [&] { return called(kernel.kernel, kernel, trial, at::kFloat, device); };
        collected.add(kernel.name, trial.call,
                      {called(kernel.definition, kernel, trial, at::kDouble),
                       called(kernel.definition, kernel, trial, at::kFloat),
                       device.is_cpu() ? onEveryTarget(byKernel) : Compared::Kernel{byKernel()}});
    }
    return collected.take().front();
}

} // namespace unroll::kernels::test
