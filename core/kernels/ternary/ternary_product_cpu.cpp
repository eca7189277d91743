// SPDX-License-Identifier: GPL-3.0-or-later
// The codes 0, 1, 2 of the weights are the unsigned half of the byte products and the rows the signed one, so a sum of products is that of the
// ternary product and the sum of the row, which is taken off again. All sums are exact: int32 is enough for 2^23 inputs.
#include "core/kernels/ternary/ternary_product_cpu.h"

#include "core/kernels/ternary/ternary_product_tiles.h"

#include <hwy/targets.h>

#include <algorithm>

namespace unroll::kernels {
namespace {

#if defined(__x86_64__)
bool has(std::int64_t target)
{
    return (hwy::SupportedTargets() & target) != 0;
}
#endif

const TernaryTiles& tilesInUse()
{
#if defined(__x86_64__)
    if (has(HWY_AVX3 | HWY_AVX3_DL) && __builtin_cpu_supports("avx512vnni"))
        return vnniTiles();
    if (has(HWY_AVX2))
        return avx2Tiles();
#endif
    return plainTiles();
}

} // namespace

void multiplyTileOnCpu(const PanelProduct& p, ProductTile tile)
{
    const TernaryTiles& tiles = tilesInUse();
    const std::int64_t rows = tile.rows.end - tile.rows.begin;
    std::int32_t sums[kTileRows];
    for (std::int64_t i = 0; i < rows; ++i)
        sums[i] = tiles.sum(p.codes + (tile.rows.begin + i) * p.shape.in, p.shape.in);

    PanelSet set;
    set.first = tile.panels.begin;
    set.count = tile.panels.end - tile.panels.begin;
    // A panel that is not there repeats the last one, and its sums are not written.
    for (std::int64_t i = 0; i < kTilePanels; ++i)
        set.panel[i] = p.packed + (set.first + std::min(i, set.count - 1)) * p.shape.panelBytes();
    for (std::int64_t i = 0; i < rows; i += tiles.rows) {
        const std::int64_t count = std::min(tiles.rows, rows - i);
        tiles.multiply[count - 1](p, set, tile.rows.begin + i, sums + i);
    }
}

} // namespace unroll::kernels
