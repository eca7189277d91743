// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/ternary/ternary_shares.h"

#include "core/kernels/cpu/streaming.h"
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
class PanelNumbers {
public:
    explicit PanelNumbers(const TernaryProduct& p)
        : m_scales(static_cast<std::size_t>(p.shape.panels() * kPanelOutputs)), m_offsets(m_scales.size())
    {
        for (std::int64_t o = 0; o < p.shape.out; o += p.scale.outputs)
            std::fill_n(m_scales.begin() + o, p.scale.outputs, p.scale.of(o));
        if (p.bias != nullptr)
            std::copy_n(p.bias, p.shape.out, m_offsets.begin());
    }

    PanelProduct product(const TernaryProduct& p, std::int64_t rows) const
    {
        const bool wholePanels = p.shape.out % kPanelOutputs == 0;
        const std::int64_t bytes = rows * p.shape.out * static_cast<std::int64_t>(sizeof *p.y);
        return {p.codes,          p.step,  p.packed, m_scales.data(),
                m_offsets.data(), p.shape, p.y,      wholePanels && isStreamed(p.y, bytes)};
    }

private:
    std::vector<float> m_scales, m_offsets;
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
    const PanelProduct product = numbers.product(p, rows);
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

/// Rows are rounded block by block: the product finds their codes in the core's cache.
void TernaryOnCpu::quantiseAndMultiply(const RowQuantisation& q, const TernaryProduct& p, std::int64_t rows) const
{
    if (rows < kBlockRows * at::get_num_threads()) { // too few for every thread to have a block
        quantise(q, rows);
        multiply(p, rows);
        return;
    }
    const PanelNumbers numbers(p);
    const PanelProduct product = numbers.product(p, rows);
    inParallel(rows, p.shape.in * p.shape.out, kProductsAThread, [&](RowRange share) {
        for (std::int64_t begin = share.begin; begin < share.end; begin += kBlockRows) {
            const RowRange block = {begin, std::min(begin + kBlockRows, share.end)};
            quantiseRowsOnCpu(q, block);
            multiplyBlockOnCpu(product, {.rows = block, .panels = {0, p.shape.panels()}});
        }
    });
}

} // namespace unroll::kernels
