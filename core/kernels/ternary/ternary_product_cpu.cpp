// SPDX-License-Identifier: GPL-3.0-or-later
// The codes 0, 1, 2 of the weights are the unsigned half of the byte products and the rows the signed one, so a sum of
// products is that of the ternary product and the sum of the row, which is taken off again. All sums are exact: int32
// is enough for 2^23 inputs.
#include "core/kernels/ternary/ternary_product_cpu.h"

#include "core/kernels/cpu/cpu_targets.h"
#include "core/kernels/ternary/ternary_cpu.h"
#include "core/kernels/ternary/ternary_product_tiles.h"
#include "core/linalg/amx/amx.h"

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>
#include <hwy/targets.h>

#include <algorithm>

namespace unroll::kernels {
namespace {

/// Panels [first, end) that a tile of this width takes. One that is not there repeats the last one, and its sums are
/// not written.
PanelSet panelsAt(const PanelProduct& p, std::int64_t first, std::int64_t end, std::int64_t width)
{
    PanelSet set;
    set.first = first;
    set.count = std::min(width, end - first);
    for (std::int64_t i = 0; i < width; ++i)
        set.packed[i] = p.packed + (first + std::min(i, set.count - 1)) * p.shape.panelBytes();
    set.ahead = first + 2 * width <= end ? width * p.shape.panelBytes() : 0;
    return set;
}

} // namespace

std::vector<const TernaryTiles*> ternaryTiles()
{
    std::vector<const TernaryTiles*> tiles;
#if defined(__x86_64__)
    if (usesCpuTarget(HWY_AVX3_DL) && linalg::hasAmx())
        tiles.push_back(&amxTiles());
    if (usesCpuTarget(HWY_AVX3 | HWY_AVX3_DL) && __builtin_cpu_supports("avx512vnni"))
        tiles.push_back(&vnniTiles());
    if (usesCpuTarget(HWY_AVX2))
        tiles.push_back(&avx2Tiles());
#endif
    tiles.push_back(&plainTiles());
    return tiles;
}

void multiplyBlock(const TernaryTiles& tiles, const PanelProduct& p, const ProductBlock& block)
{
    const std::int64_t rows = block.rows.end - block.rows.begin;
    std::int32_t sums[kBlockRows];
    for (std::int64_t i = 0; i < rows; ++i)
        sums[i] = tiles.sum(p.codes + (block.rows.begin + i) * p.shape.in, p.shape.in);

    const bool few = rows <= tiles.packed.rows;
    const TileTable& table = few ? tiles.packed : tiles.spread;
    hwy::AlignedFreeUniquePtr<std::uint8_t[]> spread;
    if (!few)
        spread = hwy::AllocateAligned<std::uint8_t>(
            static_cast<std::size_t>(4 * spreadGroups(p.shape) * kPanelBytes * table.panels));
    for (std::int64_t panel = block.panels.begin; panel < block.panels.end; panel += table.panels) {
        PanelSet set = panelsAt(p, panel, block.panels.end, table.panels);
        if (!few) {
            spreadPanelsOnCpu({set.packed, table.panels, p.shape.groups()}, spread.get());
            set.spread = spread.get();
        }
        table.multiply(p, set, block.rows, sums);
    }
    if (p.streamed)
        hwy::FlushStream();
}

void multiplyBlockOnCpu(const PanelProduct& p, const ProductBlock& block)
{
    multiplyBlock(*ternaryTiles().front(), p, block);
}

} // namespace unroll::kernels
