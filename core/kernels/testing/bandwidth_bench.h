// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels' benchmarks share: time against the bytes that must move, at the copy bandwidth of the same run.
// *_bench.cpp only.
//
// Memory: glibc hands large blocks back to the system and fetches fresh pages, whose first touch runs at a fraction of
// memory speed. The benchmarks keep freed blocks in the process instead (keepFreedMemory), as a caching allocator
// would, and say so.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <malloc.h>
#include <vector>

namespace unroll::kernels::bench {

inline void keepFreedMemory()
{
    static const bool once = [] {
        const bool kept =
            mallopt(M_MMAP_MAX, 0) == 1 && mallopt(M_TRIM_THRESHOLD, -1) == 1 && mallopt(M_TOP_PAD, 64 << 20) == 1;
        std::fprintf(stderr, "memory: freed blocks are %s in the process; times are without fresh pages\n",
                     kept ? "kept" : "NOT kept"); // stdout is the result's
        return true;
    }();
    (void)once;
}

template <class Call>
double secondsOf(const Call& call)
{
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Bytes a second of torch's copy_ between two 256 MB tensors, reads and writes counted: the median of nine.
inline double copyBandwidth()
{
    const at::Tensor from = at::ones({64 << 20});
    at::Tensor to = at::empty_like(from);
    std::vector<double> seconds;
    for (int i = 0; i < 10; ++i)
        seconds.push_back(secondsOf([&] { to.copy_(from); }));
    std::nth_element(seconds.begin() + 1, seconds.begin() + 5, seconds.end()); // the first one touches the pages
    return 2.0 * static_cast<double>(from.nbytes()) / seconds[5];
}

/// Runs `call` under Google Benchmark and reports the median: milliseconds, the bytes that an ideal fused pass moves,
/// bandwidth, and its share of the copy bandwidth. The copy is measured before and after, and the mean taken: memory
/// speed wanders.
template <class Call>
void againstCopy(benchmark::State& state, double idealBytes, const Call& call)
{
    const double before = copyBandwidth();
    call();
    call();
    std::vector<double> seconds;
    for (auto _ : state) {
        seconds.push_back(secondsOf(call));
        state.SetIterationTime(seconds.back());
    }
    const double bandwidth = (before + copyBandwidth()) / 2;
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
    const double median = seconds[seconds.size() / 2];
    state.counters["ms"] = median * 1e3;
    state.counters["MB"] = idealBytes / 1e6;
    state.counters["GB/s"] = idealBytes / median / 1e9;
    state.counters["copy GB/s"] = bandwidth / 1e9;
    state.counters["of copy %"] = 100 * idealBytes / median / bandwidth;
    state.counters["threads"] = at::get_num_threads();
}

/// Sizes (T,B,d) of a benchmark, and their product.
struct Size {
    explicit Size(const benchmark::State& state) : steps(state.range(0)), batch(state.range(1)), width(state.range(2))
    {}
    double elements() const { return static_cast<double>(steps * batch * width); }

    std::int64_t steps, batch, width;
};

/// The sizes that every scan is timed at.
inline void scanSizes(benchmark::internal::Benchmark* bench)
{
    bench->Args({256, 32, 256})->Args({1024, 8, 512})->UseManualTime()->Unit(benchmark::kMillisecond);
}

/// A scan forward; `scan()` gives its output.
template <class Scan>
void forward(benchmark::State& state, double idealBytes, const Scan& scan)
{
    keepFreedMemory();
    againstCopy(state, idealBytes, [&] { benchmark::DoNotOptimize(scan()); });
}

/// A scan forward, then backward from a gradient on its output to `inputs`.
template <class Scan>
void forwardAndBackward(benchmark::State& state, double idealBytes, const std::vector<at::Tensor>& inputs,
                        const Scan& scan)
{
    keepFreedMemory();
    for (const at::Tensor& input : inputs)
        input.requires_grad_(true);
    const at::Tensor grad = at::randn_like(scan());
    againstCopy(state, idealBytes, [&] { benchmark::DoNotOptimize(torch::autograd::grad({scan()}, inputs, {grad})); });
}

} // namespace unroll::kernels::bench
