// SPDX-License-Identifier: GPL-3.0-or-later
// Ideal bytes in fp32, for a factor a head: forward 4 (2 n + 2 m) a head and step (q, k, v in, y out), backward 4 (4 n
// + 3 m) (q, k, v and the gradient of y in, three gradients out). Products bound it, not bytes: an element of the state
// costs 4 operations a step. Ops are called through the dispatcher, allocation of outputs included. Beside them the
// plain loop of torch.
#include "core/kernels/outer_scan/outer_scan.h"

#include "core/kernels/testing/bandwidth_bench.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

namespace unroll::kernels {
namespace {

struct OuterArguments {
    /// Ranges: T, B, heads, n = m, whether each key has a factor.
    explicit OuterArguments(const benchmark::State& state)
        : q(at::randn(sizes(state))),
          k(at::randn(sizes(state))),
          v(at::randn(sizes(state))),
          a(at::rand(state.range(4) != 0 ? sizes(state) : headSizes(state)) * 0.2 + 0.8),
          elements(static_cast<double>(q.numel()))
    {}
    static std::vector<std::int64_t> sizes(const benchmark::State& state)
    {
        return {state.range(0), state.range(1), state.range(2), state.range(3)};
    }
    static std::vector<std::int64_t> headSizes(const benchmark::State& state)
    {
        return {state.range(0), state.range(1), state.range(2)};
    }
    at::Tensor q, k, v, a;
    double elements;
};

at::Tensor outerByKernel(const OuterArguments& in)
{
    return outerScan(in.q, in.k, in.v, in.a).y;
}

at::Tensor outerByLoop(const OuterArguments& in)
{
    std::vector<at::Tensor> read;
    const std::int64_t n = in.q.size(3);
    at::Tensor state = at::zeros({in.q.size(1), in.q.size(2), n, n});
    for (std::int64_t t = 0; t < in.q.size(0); ++t) {
        const at::Tensor factor = in.a.dim() == 4 ? in.a[t].unsqueeze(-1) : in.a[t].unsqueeze(-1).unsqueeze(-1);
        state = factor * state + in.k[t].unsqueeze(-1) * in.v[t].unsqueeze(-2);
        read.push_back(at::matmul(in.q[t].unsqueeze(-2), state).squeeze(-2));
    }
    return at::stack(read);
}

using OuterForm = at::Tensor (*)(const OuterArguments&);

void outerForward(benchmark::State& state, OuterForm scan)
{
    bench::keepFreedMemory();
    const OuterArguments in(state);
    bench::againstCopy(state, 16 * in.elements, [&] { benchmark::DoNotOptimize(scan(in)); });
}

void outerBothWays(benchmark::State& state, OuterForm scan)
{
    bench::keepFreedMemory();
    const OuterArguments in(state);
    for (const at::Tensor& tensor : {in.q, in.k, in.v, in.a})
        tensor.requires_grad_(true);
    const at::Tensor grad = at::randn(in.v.sizes());
    bench::againstCopy(state, 44 * in.elements, [&] {
        benchmark::DoNotOptimize(torch::autograd::grad({scan(in)}, {in.q, in.k, in.v, in.a}, {grad}));
    });
}

void outerShapes(benchmark::internal::Benchmark* bench)
{
    bench->Args({1024, 4, 4, 64, 0})->Args({1024, 4, 4, 64, 1})->Args({256, 16, 4, 32, 0})->Args({4096, 1, 4, 64, 0});
    bench->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(outerForward, kernel, outerByKernel)->Name("outer_scan/forward")->Apply(outerShapes);
BENCHMARK_CAPTURE(outerBothWays, kernel, outerByKernel)->Name("outer_scan/forward+backward")->Apply(outerShapes);
BENCHMARK_CAPTURE(outerForward, loop, outerByLoop)->Name("outer_scan/torch loop/forward")->Apply(outerShapes);
BENCHMARK_CAPTURE(outerBothWays, loop, outerByLoop)->Name("outer_scan/torch loop/forward+backward")->Apply(outerShapes);

} // namespace
} // namespace unroll::kernels
