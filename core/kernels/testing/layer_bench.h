// SPDX-License-Identifier: GPL-3.0-or-later
// A whole recurrent layer by a kernel and by ATen, in turn in one run: products of the inputs, all steps, and the
// gradients of the inputs and of every weight. *_bench.cpp only.
#pragma once

#include "core/kernels/testing/bandwidth_bench.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <cmath>
#include <functional>

namespace unroll::kernels::bench {

/// torch.nn's: of a layer as wide as its input.
struct LayerWeights {
    LayerWeights(std::int64_t gates, std::int64_t width)
    {
        for (const std::vector<std::int64_t>& sizes :
             {std::vector{gates * width, width}, std::vector{gates * width, width}, std::vector{gates * width},
              std::vector{gates * width}})
            all.push_back(((at::rand(sizes) * 2 - 1) / std::sqrt(static_cast<double>(width))).requires_grad_(true));
    }
    const at::Tensor& ih() const { return all[0]; }
    const at::Tensor& hh() const { return all[1]; }
    const at::Tensor& biasIh() const { return all[2]; }
    const at::Tensor& biasHh() const { return all[3]; }

    std::vector<at::Tensor> all;
};

using Layer = std::function<at::Tensor(const at::Tensor& x, const LayerWeights& weights)>;

inline double median(std::vector<double> numbers)
{
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

/// Forward and backward, ours and ATen's alternately: medians in ms, their ratio, and our GFLOP/s.
inline void layerBeside(benchmark::State& state, std::int64_t gates, const Layer& ours, const Layer& atens)
{
    keepFreedMemory();
    const Size size(state);
    const LayerWeights weights(gates, size.width);
    const at::Tensor x = at::randn({size.steps, size.batch, size.width}).requires_grad_(true);
    const at::Tensor arriving = at::randn(x.sizes());
    std::vector<at::Tensor> leaves = weights.all;
    leaves.push_back(x);
    const auto seconds = [&](const Layer& layer) {
        return secondsOf(
            [&] { benchmark::DoNotOptimize(torch::autograd::grad({layer(x, weights)}, leaves, {arriving})); });
    };
    seconds(ours);
    seconds(atens);
    std::vector<double> byOurs, byAtens;
    for (auto _ : state) {
        byOurs.push_back(seconds(ours));
        byAtens.push_back(seconds(atens));
        state.SetIterationTime(byOurs.back());
    }
    const double products = 12.0 * static_cast<double>(gates) * size.elements() * static_cast<double>(size.width);
    state.counters["ms"] = median(byOurs) * 1e3;
    state.counters["ATen ms"] = median(byAtens) * 1e3;
    state.counters["times faster"] = median(byAtens) / median(byOurs);
    state.counters["GFLOP/s"] = products / median(byOurs) / 1e9;
    state.counters["threads"] = at::get_num_threads();
}

} // namespace unroll::kernels::bench
