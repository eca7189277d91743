// SPDX-License-Identifier: GPL-3.0-or-later
// What an instruction set has to give for the ternary product: tiles of some rows by some panels, whose sums stay in
// registers.
#pragma once

#include "core/kernels/ternary/ternary_product_cpu.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#define UNROLL_INLINE inline __attribute__((always_inline))

namespace unroll::kernels {

constexpr std::int64_t kMostTilePanels = 4;

/// The panels of a tile: `count` are there, and whatever number the tile has may be read.
struct PanelSet {
    const std::uint8_t* packed[kMostTilePanels] = {}; ///< each where it lies
    const std::uint8_t* spread = nullptr;             ///< as spreadPanelsOnCpu lays them out
    std::int64_t ahead = 0; ///< bytes from a packed panel to the one that is read next in its place; 0: none
    std::int64_t first = 0, count = 0;
};

/// y of some rows for a set's panels; sums of those rows' codes.
using MultiplyRows = void (*)(const PanelProduct& p, const PanelSet& set, RowRange rows, const std::int32_t* sums);

/// Tiles of one width, and of heights up to `rows`.
struct TileTable {
    std::int64_t rows = 0, panels = 0;
    MultiplyRows multiply = nullptr;
};

struct TernaryTiles {
    std::int32_t (*sum)(const std::int8_t* codes, std::int64_t count) = nullptr;
    TileTable packed; ///< take weights apart in passing: for few rows, which wait for the weights
    TileTable spread; ///< read weights that were taken apart before: for many rows
};

const TernaryTiles& plainTiles();
#if defined(__x86_64__)
const TernaryTiles& avx2Tiles();
const TernaryTiles& vnniTiles();
const TernaryTiles& amxTiles(); ///< where hasAmx()
#endif

/// The tiles that this processor has and the target in use allows, best first.
std::vector<const TernaryTiles*> ternaryTiles();

/// One block by these tiles.
void multiplyBlock(const TernaryTiles& tiles, const PanelProduct& p, const ProductBlock& block);

// For the tiles themselves.

/// The rows of a tile where their inputs end within a group: that group's codes, filled up with zeros.
template <int kRows>
struct RowEnds {
    std::int8_t codes[kRows][kGroupInputs] = {};
};

template <int kRows>
UNROLL_INLINE RowEnds<kRows> rowEnds(const PanelProduct& p, std::int64_t row)
{
    RowEnds<kRows> ends;
    const std::int64_t left = p.shape.in % kGroupInputs;
    for (int r = 0; r < kRows; ++r)
        std::memcpy(ends.codes[r], p.codes + (row + r + 1) * p.shape.in - left, static_cast<std::size_t>(left));
    return ends;
}

/// Groups of a spread panel that may be read: AMX reads four at a time.
UNROLL_INLINE std::int64_t spreadGroups(const PackedShape& shape)
{
    return (shape.groups() + 3) / 4 * 4;
}

/// 64 bytes of a spread panel: inputs 4 quarter to 4 quarter + 3 of a group, for each of 16 outputs.
UNROLL_INLINE const std::uint8_t* spreadLine(const PanelSet& set, std::int64_t panels, std::int64_t panel,
                                             std::int64_t group, std::int64_t quarter)
{
    return set.spread + ((4 * group + quarter) * panels + panel) * kPanelBytes;
}

/// A tile of so many rows, from a row on.
using MultiplyTile = void (*)(const PanelProduct& p, const PanelSet& set, std::int64_t row, const std::int32_t* sums);

template <template <int> class Tile, int... counts>
constexpr auto tilesOf(std::integer_sequence<int, counts...>)
{
    return std::array<MultiplyTile, sizeof...(counts)>{&Tile<counts + 1>::multiply...};
}

/// Tiles of kRows rows, and a lower one where the rows end.
template <template <int> class Tile, int kRows>
void multiplyByTiles(const PanelProduct& p, const PanelSet& set, RowRange rows, const std::int32_t* sums)
{
    static constexpr auto tiles = tilesOf<Tile>(std::make_integer_sequence<int, kRows>()); // 1, 2 .. kRows rows
    for (std::int64_t row = rows.begin; row < rows.end; row += kRows, sums += kRows)
        tiles[static_cast<std::size_t>(std::min<std::int64_t>(kRows, rows.end - row) - 1)](p, set, row, sums);
}

#if defined(__x86_64__)
/// Panels of a spread set, by VNNI and by AMX alike.
constexpr int kSpreadPanels = 2;

/// y from exact totals (rows, kSpreadPanels, 16), of which the rows' sums are taken off first; by AVX-512.
void storeTotals(const PanelProduct& p, const PanelSet& set, RowRange rows, const std::int32_t* totals,
                 const std::int32_t* sums);
#endif

} // namespace unroll::kernels
