// SPDX-License-Identifier: GPL-3.0-or-later
// A whole layer, forward and backward, beside at::gru, which has reset_after alone. The input's products are
// core/linalg/products.h's, as in the blocks.
#include "core/kernels/gru_steps/gru_steps.h"

#include "core/kernels/testing/layer_bench.h"
#include "core/linalg/products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/gru.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

at::Tensor resetAfter(const at::Tensor& x, const bench::LayerWeights& w)
{
    const std::int64_t width = x.size(2);
    const at::Tensor hoisted = w.biasIh() + at::constant_pad_nd(w.biasHh().narrow(0, 0, 2 * width), {0, width});
    return gruSteps({.u = linalg::denseProduct(x, w.ih(), hoisted),
                     .weight = w.hh(),
                     .bias = w.biasHh().narrow(0, 2 * width, width)})
        .h;
}

at::Tensor resetBefore(const at::Tensor& x, const bench::LayerWeights& w)
{
    return gruSteps({.u = linalg::denseProduct(x, w.ih(), w.biasIh() + w.biasHh()),
                     .weight = w.hh(),
                     .convention = GruConvention::ResetBefore})
        .h;
}

at::Tensor byAten(const at::Tensor& x, const bench::LayerWeights& w)
{
    const at::Tensor start = at::zeros({1, x.size(1), x.size(2)});
    return std::get<0>(at::gru(x, start, w.all, true, 1, 0, true, false, false));
}

void layer(benchmark::State& state, at::Tensor (*ours)(const at::Tensor&, const bench::LayerWeights&))
{
    bench::layerBeside(state, 3, ours, byAten);
}

BENCHMARK_CAPTURE(layer, after, resetAfter)
    ->Name("gru_steps/layer, reset_after, forward+backward")
    ->Apply(bench::scanSizes);
BENCHMARK_CAPTURE(layer, before, resetBefore)
    ->Name("gru_steps/layer, reset_before, forward+backward")
    ->Apply(bench::scanSizes);

} // namespace
} // namespace unroll::kernels
