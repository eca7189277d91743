// SPDX-License-Identifier: GPL-3.0-or-later
// Ideal bytes an element of (T,B,d), fp32, forward and backward:
//     diag_scan    one a a step 12 (a and b in, h out) and 20 (a, h and the gradient of h in, those of a and b out); a
//                  constant a 8 and 12; complex64 twice as many
//     gated_scan   20 (three pre-activations in, h and u out) and 32 (those, h and the gradient of u in, three
//                  gradients out)
//     sru_scan     k = 3 with a skip input 24 (u and x in, h and c out) and 40 (u, x, c and the gradient of h in,
//                  gradients of u and x out)
// Ops are called through the dispatcher, allocation of outputs included.
#include "core/kernels/diag_scan/diag_scan.h"
#include "core/kernels/gated_scan/gated_scan.h"
#include "core/kernels/sru_scan/sru_scan.h"
#include "core/kernels/testing/bandwidth_bench.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <functional>

namespace unroll::kernels {
namespace {

/// A scan to be timed: what has gradients, its output, and the bytes that must move.
struct Timed {
    std::vector<at::Tensor> inputs;
    std::function<at::Tensor()> scan;
    double forwardBytes = 0, backwardBytes = 0;
};

Timed diagScanOf(const bench::Size& size, bool complex, bool constant)
{
    const at::TensorOptions type = complex ? at::kComplexFloat : at::kFloat;
    const at::Tensor moduli = constant ? at::rand({size.width}) : at::rand({size.steps, size.batch, size.width});
    const at::Tensor a = (moduli * 0.1 + 0.9).to(type.dtype());
    const at::Tensor b = at::randn({size.steps, size.batch, size.width}, type);
    const at::Tensor initial = at::randn({size.batch, size.width}, type);
    const double reals = size.elements() * (complex ? 2 : 1); // numbers in (T,B,d)
    return {{a, b, initial},
            [=] { return diagScan(a, b, initial, std::nullopt).h; },
            (constant ? 8 : 12) * reals,
            (constant ? 12 : 20) * reals};
}

Timed realDiag(const bench::Size& size)
{
    return diagScanOf(size, false, false);
}
Timed complexDiag(const bench::Size& size)
{
    return diagScanOf(size, true, false);
}
Timed constantDiag(const bench::Size& size)
{
    return diagScanOf(size, true, true);
}

Timed gated(const bench::Size& size)
{
    const at::Tensor gates = at::randn({size.steps, size.batch, 3 * size.width});
    const at::Tensor initial = at::randn({size.batch, size.width});
    return {{gates, initial},
            [=] { return gatedScan(gates, initial, std::nullopt, {}).u; },
            20 * size.elements(),
            32 * size.elements()};
}

Timed sru(const bench::Size& size)
{
    SruScanArguments a;
    a.u = at::randn({size.steps, size.batch, 3, size.width});
    a.weightC = at::randn({2, size.width});
    a.bias = at::randn({2, size.width});
    a.x = at::randn({size.steps, size.batch, size.width});
    a.initial = at::randn({size.batch, size.width});
    return {{a.u, a.weightC, a.bias, *a.x, *a.initial},
            [a] { return sruScan(a).h; },
            24 * size.elements(),
            40 * size.elements()};
}

void forward(benchmark::State& state, Timed (*timed)(const bench::Size&))
{
    const Timed in = timed(bench::Size(state));
    bench::forward(state, in.forwardBytes, in.scan);
}

void bothWays(benchmark::State& state, Timed (*timed)(const bench::Size&))
{
    const Timed in = timed(bench::Size(state));
    bench::forwardAndBackward(state, in.forwardBytes + in.backwardBytes, in.inputs, in.scan);
}

#define UNROLL_TIME_SCAN(Scan, name)                                                                                   \
    BENCHMARK_CAPTURE(forward, Scan, Scan)->Name(name "/forward")->Apply(bench::scanSizes);                            \
    BENCHMARK_CAPTURE(bothWays, Scan, Scan)->Name(name "/forward+backward")->Apply(bench::scanSizes)

UNROLL_TIME_SCAN(realDiag, "diag_scan");
UNROLL_TIME_SCAN(complexDiag, "diag_scan/complex");
UNROLL_TIME_SCAN(constantDiag, "diag_scan/complex constant");
UNROLL_TIME_SCAN(gated, "gated_scan");
UNROLL_TIME_SCAN(sru, "sru_scan");

} // namespace
} // namespace unroll::kernels
