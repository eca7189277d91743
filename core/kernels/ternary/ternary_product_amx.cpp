// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles of AMX, whose one instruction multiplies 16 rows of 64 codes with 64 inputs of 16 outputs: a spread panel's
// lines are in its order.
#include "core/kernels/ternary/ternary_product_tiles.h"
#include "core/linalg/amx/amx.h"

#if defined(__x86_64__)

#define UNROLL_AMX __attribute__((target("amx-tile,amx-int8")))

namespace unroll::kernels {
namespace {

using linalg::kTileLineBytes, linalg::kTileLines;

constexpr std::int64_t kTileRows = kTileLines, kTileInputs = kTileLineBytes;
constexpr std::int64_t kStripRows = 2 * kTileRows; ///< of four tiles of sums, two by two

constexpr std::int64_t kLine = kSpreadPanels * kPanelBytes; ///< bytes of a spread line

/// Adds 64 inputs: tiles 0 to 3 are the sums, 4 and 5 codes of 16 rows each, 6 and 7 a panel's weights each.
UNROLL_AMX UNROLL_INLINE void addInputs(const std::int8_t* codes, std::int64_t stride, const std::uint8_t* weights)
{
    _tile_loadd(6, weights, kLine);
    _tile_loadd(4, codes, stride);
    _tile_loadd(7, weights + kPanelBytes, kLine);
    _tile_dpbsud(0, 4, 6);
    _tile_dpbsud(1, 4, 7);
    _tile_loadd(5, codes + kTileRows * stride, stride);
    _tile_dpbsud(2, 5, 6);
    _tile_dpbsud(3, 5, 7);
}

/// The inputs of a strip that fill no tile, filled up with zeros: what weights stand against them does not matter.
struct StripEnds {
    alignas(64) std::int8_t codes[kStripRows][kTileInputs] = {};

    StripEnds(const std::int8_t* from, std::int64_t stride, std::int64_t count)
    {
        for (std::int64_t r = 0; r < kStripRows; ++r)
            std::memcpy(codes[r], from + r * stride, static_cast<std::size_t>(count));
    }
};

UNROLL_AMX void multiplyStrip(const PanelProduct& p, const PanelSet& set, std::int64_t row, const std::int32_t* sums)
{
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    const std::int64_t in = p.shape.in, end = in / kTileInputs * kTileInputs;
    const std::int8_t* codes = p.codes + row * in;
    const std::uint8_t* weights = set.spread; // a line of it is four inputs
    for (std::int64_t k = 0; k < end; k += kTileInputs)
        addInputs(codes + k, in, weights + k / 4 * kLine);
    if (end < in) {
        const StripEnds ends(codes + end, in, in - end);
        linalg::writtenBeforeTiles();
        addInputs(ends.codes[0], kTileInputs, weights + end / 4 * kLine);
    }
    alignas(64) std::int32_t totals[kStripRows][kSpreadPanels][kPanelOutputs];
    constexpr std::int64_t stride = sizeof totals[0];
    _tile_stored(0, totals[0][0], stride);
    _tile_stored(1, totals[0][1], stride);
    _tile_stored(2, totals[kTileRows][0], stride);
    _tile_stored(3, totals[kTileRows][1], stride);
    storeTotals(p, set, {row, row + kStripRows}, totals[0][0], sums);
}

/// Strips of 32 rows; what is left over goes by VNNI, which reads the same spread panels.
UNROLL_AMX void multiplyByStrips(const PanelProduct& p, const PanelSet& set, RowRange rows, const std::int32_t* sums)
{
    const std::int64_t last = rows.begin + (rows.end - rows.begin) / kStripRows * kStripRows;
    if (rows.begin < last) {
        const linalg::ConfiguredTiles tiles;
        for (std::int64_t row = rows.begin; row < last; row += kStripRows)
            multiplyStrip(p, set, row, sums + (row - rows.begin));
    }
    vnniTiles().spread.multiply(p, set, {last, rows.end}, sums + (last - rows.begin));
}

} // namespace

const TernaryTiles& amxTiles()
{
    static const TernaryTiles tiles = {
        vnniTiles().sum, vnniTiles().packed, {kStripRows, kSpreadPanels, multiplyByStrips}};
    return tiles;
}

} // namespace unroll::kernels

#endif // __x86_64__
