// SPDX-License-Identifier: GPL-3.0-or-later
// Ideal bytes an element of (T,B,d), fp32 (complex64: twice as many): with one a a step, forward 12 (a and b in, h out), backward 20 (a, h
// and the gradient of h in, those of a and b out); with a constant a, forward 8, backward 12. Ops are called through the dispatcher,
// allocation of outputs included.
#include "core/kernels/diag_scan/diag_scan.h"

#include "core/kernels/common/bandwidth_bench.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

namespace unroll::kernels {
namespace {

struct DiagArguments {
    DiagArguments(const bench::Size& size, bool complex, bool constant)
    {
        const at::TensorOptions type = complex ? at::kComplexFloat : at::kFloat;
        const at::Tensor moduli = constant ? at::rand({size.width}) : at::rand({size.steps, size.batch, size.width});
        a = (moduli * 0.1 + 0.9).to(type.dtype());
        b = at::randn({size.steps, size.batch, size.width}, type);
        initial = at::randn({size.batch, size.width}, type);
        reals = size.elements() * (complex ? 2 : 1);
    }
    at::Tensor h() const { return diagScan(a, b, initial, std::nullopt).h; }

    at::Tensor a, b, initial;
    double reals = 0; ///< numbers in (T,B,d)
};

void forward(benchmark::State& state, bool complex, bool constant)
{
    const DiagArguments in(bench::Size(state), complex, constant);
    bench::forward(state, (constant ? 8 : 12) * in.reals, [&] { return in.h(); });
}

void bothWays(benchmark::State& state, bool complex, bool constant)
{
    const DiagArguments in(bench::Size(state), complex, constant);
    bench::forwardAndBackward(state, (constant ? 20 : 32) * in.reals, {in.a, in.b, in.initial}, [&] { return in.h(); });
}

using bench::scanSizes;

BENCHMARK_CAPTURE(forward, real, false, false)->Name("diag_scan/forward")->Apply(scanSizes);
BENCHMARK_CAPTURE(bothWays, real, false, false)->Name("diag_scan/forward+backward")->Apply(scanSizes);
BENCHMARK_CAPTURE(forward, complex, true, false)->Name("diag_scan/complex/forward")->Apply(scanSizes);
BENCHMARK_CAPTURE(bothWays, complex, true, false)->Name("diag_scan/complex/forward+backward")->Apply(scanSizes);
BENCHMARK_CAPTURE(forward, constant, true, true)->Name("diag_scan/complex constant/forward")->Apply(scanSizes);
BENCHMARK_CAPTURE(bothWays, constant, true, true)
    ->Name("diag_scan/complex constant/forward+backward")
    ->Apply(scanSizes);

} // namespace
} // namespace unroll::kernels
