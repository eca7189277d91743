// SPDX-License-Identifier: GPL-3.0-or-later
// Ideal bytes an element of (T,B,d), fp32, k = 3 with a skip input: forward 24 (u and x in, h and c out), backward 40 (u, x, c and the
// gradient of h in, gradients of u and x out). Ops are called through the dispatcher, allocation of outputs included.
#include "core/kernels/sru_scan/sru_scan.h"

#include "core/kernels/common/bandwidth_bench.h"

#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <torch/csrc/autograd/autograd.h>

namespace unroll::kernels {
namespace {

SruScanArguments draw(const benchmark::State& state)
{
    const std::int64_t steps = state.range(0), batch = state.range(1), width = state.range(2);
    SruScanArguments a;
    a.u = at::randn({steps, batch, 3, width});
    a.weightC = at::randn({2, width});
    a.bias = at::randn({2, width});
    a.x = at::randn({steps, batch, width});
    a.initial = at::randn({batch, width});
    return a;
}

double elements(const benchmark::State& state)
{
    return static_cast<double>(state.range(0) * state.range(1) * state.range(2));
}

void forward(benchmark::State& state)
{
    bench::keepFreedMemory();
    const SruScanArguments a = draw(state);
    bench::againstCopy(state, 24 * elements(state), [&] { benchmark::DoNotOptimize(sruScan(a)); });
}

void forwardAndBackward(benchmark::State& state)
{
    bench::keepFreedMemory();
    const SruScanArguments a = draw(state);
    const std::vector<at::Tensor> inputs = {a.u, a.weightC, a.bias, *a.x, *a.initial};
    for (const at::Tensor& input : inputs)
        input.requires_grad_(true);
    const at::Tensor grad = at::randn_like(*a.x);
    bench::againstCopy(state, 64 * elements(state), [&] {
        const at::Tensor h = sruScan(a).h;
        benchmark::DoNotOptimize(torch::autograd::grad({h}, inputs, {grad}));
    });
}

BENCHMARK(forward)
    ->Name("sru_scan/forward")
    ->Args({256, 32, 256})
    ->Args({1024, 8, 512})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(forwardAndBackward)
    ->Name("sru_scan/forward+backward")
    ->Args({256, 32, 256})
    ->Args({1024, 8, 512})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

} // namespace
} // namespace unroll::kernels
