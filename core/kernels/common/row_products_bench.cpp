// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the processor multiplies: products of what a first-level cache holds, on every thread. No product of matrices in fp32 is faster, and
// those that come from memory are held against it.
#include "core/kernels/common/parallel_columns.h"
#include "core/kernels/common/row_products.h"

#include <ATen/Parallel.h>

#include <benchmark/benchmark.h>

#include <vector>

namespace unroll::kernels {
namespace {

constexpr std::int64_t rows = 48, depth = 64, columns = 64; // 12, 16 and 12 KiB
constexpr std::int64_t turns = 2000;

void multiplyAgainAndAgain()
{
    const std::vector<float> left(rows * depth, 0.5F), right(depth * columns, 0.25F);
    std::vector<float> out(rows * columns);
    RowProducts products;
    products.rows = left.data();
    products.rowStride = products.depth = depth;
    products.matrix = right.data();
    products.matrixStride = products.columns = columns;
    products.out = out.data();
    for (std::int64_t turn = 0; turn < turns; ++turn)
        multiplyRows(products, {0, rows});
}

void inCache(benchmark::State& state)
{
    const std::int64_t threads = at::get_num_threads();
    for (auto _ : state)
        parallelColumns(
            1, threads, turns,
            [](ColumnRange each) {
                for (std::int64_t i = each.begin; i < each.end; ++i)
                    multiplyAgainAndAgain();
            },
            rows * columns);
    state.counters["FLOP/s"] =
        benchmark::Counter(static_cast<double>(2 * rows * depth * columns * turns * threads),
                           benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

BENCHMARK(inCache)->Name("row_products/in the first-level cache")->UseRealTime()->Unit(benchmark::kMillisecond);

} // namespace
} // namespace unroll::kernels
