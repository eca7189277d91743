// SPDX-License-Identifier: GPL-3.0-or-later
// Ideal bytes an element of (T,B,d), fp32: forward 20 (three pre-activations in, h and u out), backward 32 (those, h and the gradient of u
// in, three gradients out). Ops are called through the dispatcher, allocation of outputs included.
#include "core/kernels/gated_scan/gated_scan.h"

#include "core/kernels/common/bandwidth_bench.h"

#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>

namespace unroll::kernels {
namespace {

void forward(benchmark::State& state)
{
    bench::keepFreedMemory();
    const std::int64_t steps = state.range(0), batch = state.range(1), width = state.range(2);
    const at::Tensor gates = at::randn({steps, batch, 3 * width});
    const at::Tensor initial = at::randn({batch, width});
    bench::againstCopy(state, 20.0 * static_cast<double>(steps * batch * width),
                       [&] { benchmark::DoNotOptimize(gatedScan(gates, initial, std::nullopt, {})); });
}

void forwardAndBackward(benchmark::State& state)
{
    bench::keepFreedMemory();
    const std::int64_t steps = state.range(0), batch = state.range(1), width = state.range(2);
    const at::Tensor gates = at::randn({steps, batch, 3 * width}).requires_grad_(true);
    const at::Tensor initial = at::randn({batch, width}).requires_grad_(true);
    const at::Tensor grad = at::randn({steps, batch, width});
    bench::againstCopy(state, 52.0 * static_cast<double>(steps * batch * width), [&] {
        const at::Tensor u = gatedScan(gates, initial, std::nullopt, {}).u;
        benchmark::DoNotOptimize(torch::autograd::grad({u}, {gates, initial}, {grad}));
    });
}

BENCHMARK(forward)
    ->Name("gated_scan/forward")
    ->Args({256, 32, 256})
    ->Args({1024, 8, 512})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(forwardAndBackward)
    ->Name("gated_scan/forward+backward")
    ->Args({256, 32, 256})
    ->Args({1024, 8, 512})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

} // namespace
} // namespace unroll::kernels
