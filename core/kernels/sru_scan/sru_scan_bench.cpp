// SPDX-License-Identifier: GPL-3.0-or-later
// Ideal bytes an element of (T,B,d), fp32, k = 3 with a skip input: forward 24 (u and x in, h and c out), backward 40 (u, x, c and the
// gradient of h in, gradients of u and x out). Ops are called through the dispatcher, allocation of outputs included.
#include "core/kernels/sru_scan/sru_scan.h"

#include "core/kernels/common/bandwidth_bench.h"

#include <ATen/ops/randn.h>

namespace unroll::kernels {
namespace {

SruScanArguments draw(const bench::Size& size)
{
    SruScanArguments a;
    a.u = at::randn({size.steps, size.batch, 3, size.width});
    a.weightC = at::randn({2, size.width});
    a.bias = at::randn({2, size.width});
    a.x = at::randn({size.steps, size.batch, size.width});
    a.initial = at::randn({size.batch, size.width});
    return a;
}

void forward(benchmark::State& state)
{
    const bench::Size size(state);
    const SruScanArguments a = draw(size);
    bench::forward(state, 24 * size.elements(), [&] { return sruScan(a).h; });
}

void bothWays(benchmark::State& state)
{
    const bench::Size size(state);
    const SruScanArguments a = draw(size);
    bench::forwardAndBackward(state, 64 * size.elements(), {a.u, a.weightC, a.bias, *a.x, *a.initial},
                              [&] { return sruScan(a).h; });
}

BENCHMARK(forward)->Name("sru_scan/forward")->Apply(bench::scanSizes);
BENCHMARK(bothWays)->Name("sru_scan/forward+backward")->Apply(bench::scanSizes);

} // namespace
} // namespace unroll::kernels
