// SPDX-License-Identifier: GPL-3.0-or-later
// The check that runs on every edit, over our blocks: an ordinary graph (goal: under 1 ms), large ones, and large ones
// full of mistakes.
#include "core/block/registry.h"
#include "core/check/test_large_graphs.h"

#include <benchmark/benchmark.h>

namespace unroll {
namespace {

using namespace testing_specs;

void run(benchmark::State& state, Graph (*make)(int))
{
    const Graph graph = make(static_cast<int>(state.range(0)));
    const BlockRegistry blocks = allSpecs();
    CheckOptions options;
    options.sourceFacts = [](const std::string&, const Params&) { return SourceFacts{.classes = 65, .steps = 64}; };
    options.batch = 12;
    for (auto _ : state)
        benchmark::DoNotOptimize(check(graph, blocks, options));
    state.counters["nodes"] = static_cast<double>(graph.nodes.size());
}

BENCHMARK_CAPTURE(run, layers, residualLayers)->Arg(6)->Arg(333)->Arg(3'333)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, loose, looseNodes)->Arg(1'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, rings, rings)->Arg(1'000)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace unroll
