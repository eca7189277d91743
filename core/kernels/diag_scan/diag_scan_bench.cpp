// SPDX-License-Identifier: GPL-3.0-or-later
// Ideal bytes an element of (T,B,d), fp32 (complex64: twice as many): with one a a step, forward 12 (a and b in, h out), backward 20 (a, h
// and the gradient of h in, those of a and b out); with a constant a, forward 8, backward 12. Ops are called through the dispatcher,
// allocation of outputs included.
#include "core/kernels/diag_scan/diag_scan.h"

#include "core/kernels/common/bandwidth_bench.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>

namespace unroll::kernels {
namespace {

struct DiagArguments {
    DiagArguments(const benchmark::State& state, bool complex, bool constant)
    {
        const std::int64_t steps = state.range(0), batch = state.range(1), width = state.range(2);
        const at::TensorOptions type = complex ? at::kComplexFloat : at::kFloat;
        const at::Tensor moduli = constant ? at::rand({width}) : at::rand({steps, batch, width});
        a = (moduli * 0.1 + 0.9).to(type.dtype());
        b = at::randn({steps, batch, width}, type);
        initial = at::randn({batch, width}, type);
        elements = static_cast<double>(steps * batch * width) * (complex ? 2 : 1);
    }
    at::Tensor a, b, initial;
    double elements = 0; ///< real ones
};

void forwardOnly(benchmark::State& state, bool complex, bool constant)
{
    bench::keepFreedMemory();
    const DiagArguments in(state, complex, constant);
    bench::againstCopy(state, (constant ? 8 : 12) * in.elements,
                       [&] { benchmark::DoNotOptimize(diagScan(in.a, in.b, in.initial, std::nullopt)); });
}

void bothWays(benchmark::State& state, bool complex, bool constant)
{
    bench::keepFreedMemory();
    const DiagArguments in(state, complex, constant);
    for (const at::Tensor& tensor : {in.a, in.b, in.initial})
        tensor.requires_grad_(true);
    const at::Tensor grad = at::randn(in.b.sizes(), in.b.options());
    bench::againstCopy(state, (constant ? 20 : 32) * in.elements, [&] {
        const at::Tensor h = diagScan(in.a, in.b, in.initial, std::nullopt).h;
        benchmark::DoNotOptimize(torch::autograd::grad({h}, {in.a, in.b, in.initial}, {grad}));
    });
}

void shapes(benchmark::internal::Benchmark* bench)
{
    bench->Args({256, 32, 256})->Args({1024, 8, 512})->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(forwardOnly, real, false, false)->Name("diag_scan/forward")->Apply(shapes);
BENCHMARK_CAPTURE(bothWays, real, false, false)->Name("diag_scan/forward+backward")->Apply(shapes);
BENCHMARK_CAPTURE(forwardOnly, complex, true, false)->Name("diag_scan/complex/forward")->Apply(shapes);
BENCHMARK_CAPTURE(bothWays, complex, true, false)->Name("diag_scan/complex/forward+backward")->Apply(shapes);
BENCHMARK_CAPTURE(forwardOnly, constant, true, true)->Name("diag_scan/complex constant/forward")->Apply(shapes);
BENCHMARK_CAPTURE(bothWays, constant, true, true)->Name("diag_scan/complex constant/forward+backward")->Apply(shapes);

} // namespace
} // namespace unroll::kernels
