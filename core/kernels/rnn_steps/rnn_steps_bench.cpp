// SPDX-License-Identifier: GPL-3.0-or-later
// A whole layer, forward and backward, beside at::rnn_tanh. The input's products are core/linalg/products.h's, as in
// the blocks.
#include "core/kernels/rnn_steps/rnn_steps.h"

#include "core/kernels/testing/layer_bench.h"
#include "core/linalg/products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rnn_tanh.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

at::Tensor byKernel(const at::Tensor& x, const bench::LayerWeights& w)
{
    return rnnSteps({.u = linalg::denseProduct(x, w.ih(), w.biasIh() + w.biasHh()), .weight = w.hh()}).h;
}

at::Tensor byAten(const at::Tensor& x, const bench::LayerWeights& w)
{
    const at::Tensor start = at::zeros({1, x.size(1), x.size(2)});
    return std::get<0>(at::rnn_tanh(x, start, w.all, true, 1, 0, true, false, false));
}

void layer(benchmark::State& state)
{
    bench::layerBeside(state, 1, byKernel, byAten);
}

BENCHMARK(layer)->Name("rnn_steps/layer, forward+backward")->Apply(bench::scanSizes);

} // namespace
} // namespace unroll::kernels
