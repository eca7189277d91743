// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/weights/count_spread.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/frexp.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>

namespace unroll::lenses::weights {

namespace {

at::Tensor finiteOf(const at::Tensor& tensor)
{
    const at::Tensor flat = tensor.detach().flatten();
    return flat.masked_select(at::isfinite(flat)).to(at::kDouble);
}

/// `bins`: whole numbers below the size of the list.
void add(Spread& spread, const at::Tensor& bins)
{
    const at::Tensor counts = at::bincount(bins.to(at::kLong), {}, std::ssize(spread.bins)).cpu().contiguous();
    for (std::size_t bin = 0; bin < spread.bins.size(); ++bin)
        spread.bins[bin] += counts.const_data_ptr<std::int64_t>()[bin];
    spread.count += bins.numel();
}

} // namespace

Spread spreadOfValues(const std::vector<at::Tensor>& tensors)
{
    Spread spread;
    spread.bins.assign(Spread::kBins, 0);
    std::vector<at::Tensor> all;
    double largest = 0;
    for (const at::Tensor& tensor : tensors) {
        all.push_back(finiteOf(tensor));
        if (all.back().numel() > 0)
            largest = std::max(largest, all.back().abs().max().item<double>());
    }
    spread.exponent = largest > 0 ? static_cast<int>(std::ceil(std::log2(largest))) : 0;
    const double range = std::ldexp(1.0, spread.exponent), half = Spread::kBins / 2;
    for (const at::Tensor& values : all)
        add(spread, ((values / range + 1) * half).floor().clamp(0, Spread::kBins - 1));
    return spread;
}

Spread spreadOfSizes(const std::vector<at::Tensor>& tensors)
{
    constexpr int kZeros = Spread::kMostOctave - Spread::kLeastOctave + 1;
    Spread spread;
    spread.bins.assign(kZeros + 1, 0);
    for (const at::Tensor& tensor : tensors) {
        const at::Tensor values = finiteOf(tensor);
        const at::Tensor exponents = std::get<1>(at::frexp(values)); // of a mantissa from 0.5 on
        const at::Tensor octaves = (exponents - 1).clamp(Spread::kLeastOctave, Spread::kMostOctave);
        add(spread, at::where(values.eq(0), kZeros, octaves - Spread::kLeastOctave));
    }
    return spread;
}

} // namespace unroll::lenses::weights
