// SPDX-License-Identifier: GPL-3.0-or-later
// Ideal bytes an element of a matrix, fp32: forward 8 (m in, h out), backward 16 (m, h and the gradient of h in, that
// of m out). Ops are called through the dispatcher, allocation of outputs included. Beside them the plain loop of
// torch, a batched product a step.
#include "core/kernels/matrix_scan/matrix_scan.h"

#include "core/kernels/testing/bandwidth_bench.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/autograd.h>

namespace unroll::kernels {
namespace {

struct MatrixArguments {
    /// Ranges: T, B, heads, n.
    explicit MatrixArguments(const benchmark::State& state)
        : m(std::get<0>(at::linalg_qr(at::randn(
                            {state.range(0), state.range(1), state.range(2), state.range(3), state.range(3)})))
                .contiguous()),
          elements(static_cast<double>(m.numel()))
    {}
    at::Tensor m;
    double elements;
};

at::Tensor byKernel(const at::Tensor& m)
{
    return matrixScan(m).h;
}

at::Tensor byLoop(const at::Tensor& m)
{
    std::vector<at::Tensor> states;
    at::Tensor h = at::eye(m.size(-1)).expand(m.sizes().slice(1));
    for (const at::Tensor& step : m.unbind(0)) {
        h = at::matmul(h, step);
        states.push_back(h);
    }
    return at::stack(states);
}

void forwardOnly(benchmark::State& state, at::Tensor (*scan)(const at::Tensor&))
{
    bench::keepFreedMemory();
    const MatrixArguments in(state);
    bench::againstCopy(state, 8 * in.elements, [&] { benchmark::DoNotOptimize(scan(in.m)); });
}

void bothWays(benchmark::State& state, at::Tensor (*scan)(const at::Tensor&))
{
    bench::keepFreedMemory();
    const MatrixArguments in(state);
    in.m.requires_grad_(true);
    const at::Tensor grad = at::randn(in.m.sizes());
    bench::againstCopy(state, 24 * in.elements,
                       [&] { benchmark::DoNotOptimize(torch::autograd::grad({scan(in.m)}, {in.m}, {grad})); });
}

void matrixShapes(benchmark::internal::Benchmark* bench)
{
    bench->Args({256, 8, 6, 8})
        ->Args({1024, 8, 6, 8})
        ->Args({256, 64, 6, 8})
        ->Args({256, 8, 12, 4})
        ->Args({256, 8, 3, 16});
    bench->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(forwardOnly, kernel, byKernel)->Name("matrix_scan/forward")->Apply(matrixShapes);
BENCHMARK_CAPTURE(bothWays, kernel, byKernel)->Name("matrix_scan/forward+backward")->Apply(matrixShapes);
BENCHMARK_CAPTURE(forwardOnly, loop, byLoop)->Name("matrix_scan/torch loop/forward")->Apply(matrixShapes);
BENCHMARK_CAPTURE(bothWays, loop, byLoop)->Name("matrix_scan/torch loop/forward+backward")->Apply(matrixShapes);

} // namespace
} // namespace unroll::kernels
