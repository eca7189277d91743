// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/ternary/ternary_shares.h"

#include "core/kernels/ternary/ternary_cpu.h"
#include "core/kernels/ternary/ternary_product_cpu.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace unroll::kernels {
namespace {

// Some ten microseconds of work, several times what waking a thread costs.
constexpr std::int64_t kNumbersAThread = 32768;
constexpr std::int64_t kProductsAThread = 1 << 20;

/// Calls body(range) on shares of `count` pieces of `size` numbers each.
template <class Body>
void inParallel(std::int64_t count, std::int64_t size, std::int64_t aThread, const Body& body)
{
    const std::int64_t grain = std::max<std::int64_t>(1, aThread / std::max<std::int64_t>(1, size));
    at::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) { body(RowRange{begin, end}); });
}

/// What tiles read of every output, put out to whole panels.
struct PanelNumbers {
    explicit PanelNumbers(const TernaryProduct& p)
        : scales(static_cast<std::size_t>(p.shape.panels() * kPanelOutputs)), offsets(scales.size())
    {
        for (std::int64_t o = 0; o < p.shape.out; o += p.scale.outputs)
            std::fill_n(scales.begin() + o, p.scale.outputs, p.scale.of(o));
        if (p.bias != nullptr)
            std::copy_n(p.bias, p.shape.out, offsets.begin());
    }

    std::vector<float> scales, offsets;
};

} // namespace

void TernaryOnCpu::quantise(const RowQuantisation& p, std::int64_t rows) const
{
    inParallel(rows, p.in, kNumbersAThread, [&](RowRange some) { quantiseRowsOnCpu(p, some); });
}

void TernaryOnCpu::normBackward(const NormGradient& p, std::int64_t rows) const
{
    const std::int64_t shares = (rows + kGainRows - 1) / kGainRows;
    inParallel(shares, kGainRows * p.in, kNumbersAThread, [&](RowRange some) {
        for (std::int64_t i = some.begin; i < some.end; ++i)
            normBackwardOnCpu(p, {i * kGainRows, std::min(rows, (i + 1) * kGainRows)}, p.gainShares + i * p.in);
    });
}

/// A part's sum is taken a row at a time, in their order.
void TernaryOnCpu::findScales(const WeightScales& p) const
{
    const std::int64_t rows = p.shape.out / p.parts;
    inParallel(p.shape.out, p.shape.in, kNumbersAThread,
               [&](RowRange some) { absoluteSumsOnCpu(p.weight, p.shape.in, some, p.rowSums); });
    for (std::int64_t i = 0; i < p.parts; ++i)
        p.scale[i] =
            scaleOfSum(std::accumulate(p.rowSums + i * rows, p.rowSums + (i + 1) * rows, 0.0), rows * p.shape.in);
}

void TernaryOnCpu::pack(const WeightPacking& p) const
{
    inParallel(p.shape.panels(), kPanelOutputs * p.shape.in, kNumbersAThread,
               [&](RowRange panels) { packPanelsOnCpu(p, panels); });
}

void TernaryOnCpu::unpack(const WeightUnpacking& p) const
{
    inParallel(p.shape.out, p.shape.in, kNumbersAThread, [&](RowRange rows) { unpackRowsOnCpu(p, rows); });
}

void TernaryOnCpu::multiply(const TernaryProduct& p, std::int64_t rows) const
{
    const PanelNumbers numbers(p);
    const PanelProduct product = {p.codes, p.step, p.packed, numbers.scales.data(), numbers.offsets.data(),
                                  p.shape, p.y};
    const std::int64_t panels = p.shape.panels(), high = (rows + kBlockRows - 1) / kBlockRows;
    const std::int64_t wide = (panels + kBlockPanels - 1) / kBlockPanels;
    const std::int64_t products = kBlockPanels * kPanelOutputs * p.shape.in * std::min(rows, kBlockRows);
    inParallel(high * wide, products, kProductsAThread, [&](RowRange share) {
        for (std::int64_t i = share.begin; i < share.end;) { // the panels of one block of rows after the other
            const std::int64_t row = i / wide * kBlockRows, next = std::min(share.end, (i / wide + 1) * wide);
            const std::int64_t last = (next - 1) % wide + 1;
            multiplyBlockOnCpu(product, {.rows = {row, std::min(rows, row + kBlockRows)},
                                         .panels = {i % wide * kBlockPanels, std::min(panels, last * kBlockPanels)}});
            i = next;
        }
    });
}

} // namespace unroll::kernels
