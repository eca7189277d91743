// SPDX-License-Identifier: GPL-3.0-or-later
// A dense layer's three products by each multiplier, in turns. GFLOP/s, medians.
#include "core/kernels/testing/bandwidth_bench.h"
#include "core/linalg/products.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>

#include <functional>
#include <optional>
#include <vector>

namespace unroll::linalg {
namespace {

using Product = std::function<void(Multiplier)>;

using Library = std::pair<const char*, Multiplier>;

/// Gradients of W are never oneDNN's.
std::vector<Library> libraries(bool withOneDnn)
{
    std::vector<Library> found = {{"torch", Multiplier::Torch}};
    if (withOneDnn)
        found.emplace_back("oneDNN", Multiplier::OneDnn);
    if (hasAmxBackend())
        found.emplace_back("AMX", Multiplier::Amx);
    return found;
}

/// rows, in, out
void inTurns(benchmark::State& state, double operations, const Product& multiply, bool withOneDnn = true)
{
    kernels::bench::keepFreedMemory();
    const at::NoGradGuard noGradient;
    const std::vector<Library> all = libraries(withOneDnn);
    std::vector<std::vector<double>> seconds(all.size());
    for (const Library& each : all)
        multiply(each.second); // touches the pages
    for (auto _ : state)
        for (size_t i = 0; i < all.size(); ++i)
            seconds[i].push_back(kernels::bench::secondsOf([&] { multiply(all[i].second); }));
    for (size_t i = 0; i < all.size(); ++i) {
        const auto middle = seconds[i].begin() + std::ssize(seconds[i]) / 2;
        std::nth_element(seconds[i].begin(), middle, seconds[i].end());
        state.counters[all[i].first] = operations / *middle / 1e9;
    }
}

struct Layer {
    explicit Layer(const benchmark::State& state)
        : x(at::randn({state.range(0), state.range(1)})),
          weight(at::randn({state.range(2), state.range(1)})),
          g(at::randn({state.range(0), state.range(2)})),
          operations(2.0 * static_cast<double>(x.numel()) * static_cast<double>(state.range(2)))
    {}

    at::Tensor x, weight, g;
    double operations;
};

void rows(benchmark::State& state, bool withBias)
{
    const Layer layer(state);
    const auto bias = withBias ? std::optional(at::randn({state.range(2)})) : std::nullopt;
    inTurns(state, layer.operations,
            [&](Multiplier by) { benchmark::DoNotOptimize(rowsTimesWeight(layer.x, layer.weight, bias, by)); });
}

void gradientOfX(benchmark::State& state)
{
    const Layer layer(state);
    inTurns(state, layer.operations,
            [&](Multiplier by) { benchmark::DoNotOptimize(gradientOfRows(layer.g, layer.weight, by)); });
}

void gradientOfW(benchmark::State& state)
{
    const Layer layer(state);
    inTurns(
        state, layer.operations,
        [&](Multiplier by) { benchmark::DoNotOptimize(gradientOfWeight(layer.g, layer.x, by)); }, false);
}

void sizes(benchmark::internal::Benchmark* each)
{
    each->UseRealTime()->Unit(benchmark::kMillisecond);
    for (const std::int64_t rows : {96, 768, 6144})
        for (const auto& [in, out] : {std::pair{128, 512},
                                      {256, 75},
                                      {75, 256},
                                      {256, 256},
                                      {256, 768},
                                      {256, 1024},
                                      {1024, 256},
                                      {512, 512},
                                      {512, 1536}})
            each->Args({rows, in, out});
}

/// A weight that is part of a wider one.
void rowsByPart(benchmark::State& state)
{
    const Layer layer(state);
    const at::Tensor part = at::randn({state.range(2), state.range(1) + 64}).narrow(1, 0, state.range(1));
    inTurns(state, layer.operations,
            [&](Multiplier by) { benchmark::DoNotOptimize(rowsTimesWeight(layer.x, part, {}, by)); });
}

BENCHMARK_CAPTURE(rows, plain, false)->Name("dense_product/rows")->Apply(sizes);
BENCHMARK_CAPTURE(rows, biased, true)->Name("dense_product/rows and bias")->Apply(sizes);
BENCHMARK(rowsByPart)->Name("dense_product/rows by part of a weight")->Apply(sizes);
BENCHMARK(gradientOfX)->Name("dense_product/gradient of x")->Apply(sizes);
BENCHMARK(gradientOfW)->Name("dense_product/gradient of W")->Apply(sizes);

} // namespace
} // namespace unroll::linalg
