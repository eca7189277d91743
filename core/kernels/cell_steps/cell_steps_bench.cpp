// SPDX-License-Identifier: GPL-3.0-or-later
// An LSTM layer, forward and backward, beside at::lstm; other cells differ in their elements alone.
#include "core/kernels/cell_steps/cell_steps.h"

#include "core/kernels/testing/layer_bench.h"
#include "core/linalg/products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

at::Tensor lstmByKernel(const at::Tensor& x, const bench::LayerWeights& w)
{
    return cellSteps({.u = linalg::denseProduct(x, w.ih(), w.biasIh() + w.biasHh()),
                      .weight = w.hh().unsqueeze(0),
                      .cell = StepCell::Lstm})
        .h;
}

at::Tensor lstmByAten(const at::Tensor& x, const bench::LayerWeights& w)
{
    const at::Tensor start = at::zeros({1, x.size(1), x.size(2)});
    return std::get<0>(at::lstm(x, {start, start}, w.all, true, 1, 0, true, false, false));
}

void lstmLayer(benchmark::State& state)
{
    bench::layerBeside(state, 4, lstmByKernel, lstmByAten);
}

BENCHMARK(lstmLayer)->Name("cell_steps/layer, forward+backward")->Apply(bench::scanSizes);

} // namespace
} // namespace unroll::kernels
