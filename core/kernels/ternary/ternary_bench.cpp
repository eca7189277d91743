// SPDX-License-Identifier: GPL-3.0-or-later
// The whole layer, norm and rounding of rows and weight included, beside torch's dense fp32 product of the same size;
// and products of few rows with packed weights that come from memory. Ideal bytes: x and y in fp32; two bits a weight.
// Ops: a multiply-add is two.
#include "core/kernels/ternary/ternary.h"

#include "core/kernels/testing/bandwidth_bench.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>

namespace unroll::kernels {
namespace {

/// rows, inputs, outputs
struct LayerSize {
    explicit LayerSize(const benchmark::State& state) : rows(state.range(0)), in(state.range(1)), out(state.range(2)) {}
    double ops() const { return 2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out); }
    double rowBytes() const { return 4.0 * static_cast<double>(rows) * static_cast<double>(in + out); }

    std::int64_t rows, in, out;
};

/// As bench::againstCopy, and the ops a second.
template <class Call>
void timed(benchmark::State& state, const LayerSize& size, double idealBytes, const Call& call)
{
    bench::keepFreedMemory();
    bench::againstCopy(state, idealBytes, call);
    state.counters["Gop/s"] = size.ops() / state.counters["ms"] / 1e6;
}

void layer(benchmark::State& state)
{
    const LayerSize size(state);
    const at::NoGradGuard noGradient;
    const at::Tensor x = at::randn({size.rows, size.in}), gain = at::randn({size.in});
    const at::Tensor weight = at::randn({size.out, size.in}), bias = at::randn({size.out});
    timed(state, size, size.rowBytes(), [&] { benchmark::DoNotOptimize(ternaryDense(x, gain, weight, bias)); });
}

void denseProduct(benchmark::State& state)
{
    const LayerSize size(state);
    const at::NoGradGuard noGradient;
    const at::Tensor x = at::randn({size.rows, size.in}), weight = at::randn({size.out, size.in});
    const at::Tensor bias = at::randn({size.out});
    timed(state, size, size.rowBytes(), [&] { benchmark::DoNotOptimize(at::linear(x, weight, bias)); });
}

/// What the layer's forward pass is made of.
void rowsAlone(benchmark::State& state)
{
    const LayerSize size(state);
    const at::Tensor x = at::randn({size.rows, size.in}), gain = at::randn({size.in});
    const double bytes = 5.0 * static_cast<double>(x.numel());
    timed(state, size, bytes, [&] { benchmark::DoNotOptimize(ternaryRows(x, gain, 1e-8)); });
}

void weightAlone(benchmark::State& state)
{
    const LayerSize size(state);
    const at::Tensor weight = at::randn({size.out, size.in});
    const double bytes = 4.25 * static_cast<double>(weight.numel());
    timed(state, size, bytes, [&] { benchmark::DoNotOptimize(packTernary(weight)); });
}

void productAlone(benchmark::State& state)
{
    const LayerSize size(state);
    const TernaryRows rows = ternaryRows(at::randn({size.rows, size.in}), at::randn({size.in}), 1e-8);
    const TernaryWeight weight = packTernary(at::randn({size.out, size.in}));
    const at::Tensor bias = at::randn({size.out});
    const double bytes = static_cast<double>(size.rows * (size.in + 4 * size.out));
    timed(state, size, bytes, [&] { benchmark::DoNotOptimize(ternaryProduct(rows, weight, bias)); });
}

void layerBothWays(benchmark::State& state)
{
    const LayerSize size(state);
    const at::Tensor x = at::randn({size.rows, size.in}), gain = at::randn({size.in});
    const at::Tensor weight = at::randn({size.out, size.in});
    bench::forwardAndBackward(state, 3 * size.rowBytes(), {x, gain, weight},
                              [&] { return ternaryDense(x, gain, weight, std::nullopt); });
}

/// Weights enough to fill any cache, taken in turn.
template <class Weight>
class InTurn {
public:
    template <class Make>
    InTurn(std::int64_t bytesEach, const Make& make)
    {
        constexpr std::int64_t beyondCaches = 256 << 20;
        for (std::int64_t bytes = 0; bytes < beyondCaches; bytes += bytesEach)
            m_weights.push_back(make());
    }
    const Weight& next() { return m_weights[m_next++ % m_weights.size()]; }

private:
    std::vector<Weight> m_weights;
    std::size_t m_next = 0;
};

void packed(benchmark::State& state)
{
    const LayerSize size(state);
    const at::NoGradGuard noGradient;
    const TernaryWeight made = packTernary(at::randn({size.out, size.in}));
    InTurn<TernaryWeight> weights(made.packed.numel(), [&] {
        return TernaryWeight{made.packed.clone(), made.scale, made.out, made.in};
    });
    const at::Tensor x = at::randn({size.rows, size.in}), gain = at::randn({size.in});
    timed(state, size, size.rowBytes() + static_cast<double>(made.packed.numel()),
          [&] { benchmark::DoNotOptimize(ternaryLayer(x, gain, weights.next(), std::nullopt, 1e-8)); });
}

void denseOutOfCache(benchmark::State& state)
{
    const LayerSize size(state);
    const at::NoGradGuard noGradient;
    const std::int64_t bytes = 4 * size.in * size.out;
    InTurn<at::Tensor> weights(bytes, [&] { return at::randn({size.out, size.in}); });
    const at::Tensor x = at::randn({size.rows, size.in});
    timed(state, size, size.rowBytes() + static_cast<double>(bytes),
          [&] { benchmark::DoNotOptimize(at::linear(x, weights.next())); });
}

void layerSizes(benchmark::internal::Benchmark* bench)
{
    bench->Args({8192, 512, 512})->Args({768, 256, 768})->UseManualTime()->Unit(benchmark::kMillisecond);
}

void fewRows(benchmark::internal::Benchmark* bench)
{
    bench->Args({1, 2048, 2048})->Args({1, 4096, 4096})->Args({8, 2048, 2048});
    bench->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(layer)->Name("ternary/forward")->Apply(layerSizes);
BENCHMARK(denseProduct)->Name("ternary/dense fp32 forward")->Apply(layerSizes);
BENCHMARK(rowsAlone)->Name("ternary/rows")->Apply(layerSizes);
BENCHMARK(weightAlone)->Name("ternary/weight")->Apply(layerSizes);
BENCHMARK(productAlone)->Name("ternary/product")->Apply(layerSizes);
BENCHMARK(layerBothWays)->Name("ternary/forward+backward")->Apply(layerSizes);
BENCHMARK(packed)->Name("ternary/packed")->Apply(fewRows);
BENCHMARK(denseOutOfCache)->Name("ternary/dense fp32")->Apply(fewRows);

} // namespace
} // namespace unroll::kernels
