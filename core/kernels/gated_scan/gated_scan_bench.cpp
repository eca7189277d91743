// SPDX-License-Identifier: GPL-3.0-or-later
// Ideal bytes an element of (T,B,d), fp32: forward 20 (three pre-activations in, h and u out), backward 32 (those, h and the gradient of u
// in, three gradients out). Ops are called through the dispatcher, allocation of outputs included.
#include "core/kernels/gated_scan/gated_scan.h"

#include "core/kernels/common/bandwidth_bench.h"

#include <ATen/ops/randn.h>

namespace unroll::kernels {
namespace {

struct GatedArguments {
    explicit GatedArguments(const bench::Size& size)
        : gates(at::randn({size.steps, size.batch, 3 * size.width})), initial(at::randn({size.batch, size.width}))
    {}
    at::Tensor u() const { return gatedScan(gates, initial, std::nullopt, {}).u; }

    at::Tensor gates, initial;
};

void forward(benchmark::State& state)
{
    const bench::Size size(state);
    const GatedArguments in(size);
    bench::forward(state, 20 * size.elements(), [&] { return in.u(); });
}

void bothWays(benchmark::State& state)
{
    const bench::Size size(state);
    const GatedArguments in(size);
    bench::forwardAndBackward(state, 52 * size.elements(), {in.gates, in.initial}, [&] { return in.u(); });
}

BENCHMARK(forward)->Name("gated_scan/forward")->Apply(bench::scanSizes);
BENCHMARK(bothWays)->Name("gated_scan/forward+backward")->Apply(bench::scanSizes);

} // namespace
} // namespace unroll::kernels
