// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/ternary/ternary_params.h"

namespace unroll::kernels {

constexpr std::int64_t kTilePanels = 4; ///< a tile is so many panels wide
constexpr std::int64_t kTileRows = 192; ///< and at most so many rows high: their codes stay in a core's cache

/// Some rows by some panels of the product.
struct ProductTile {
    RowRange rows, panels;
};

/// One tile, on the calling thread: exact in integers, then scaled. An output depends on its row alone, not on the tile's. AVX-512 VNNI, AVX2
/// or plain C++, as the CPU has it and the target in use (cpu_targets.h) allows.
void multiplyTileOnCpu(const TernaryProduct& p, ProductTile tile);

} // namespace unroll::kernels
