// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/ternary/ternary_params.h"

namespace unroll::kernels {

constexpr std::int64_t kTilePanels = 4; ///< a tile is so many panels wide
constexpr std::int64_t kTileRows = 192; ///< and at most so many rows high: their codes stay in a core's cache

/// A TernaryProduct, its scales and biases put out to whole panels.
struct PanelProduct {
    const std::int8_t* codes = nullptr;
    const float* step = nullptr;
    const std::uint8_t* packed = nullptr;
    const float* scale = nullptr; ///< of each output
    const float* bias = nullptr;  ///< likewise; zeros where there is none
    PackedShape shape;
    float* y = nullptr;
};

/// Some rows by some panels of the product.
struct ProductTile {
    RowRange rows, panels;
};

/// One tile, on the calling thread: exact in integers, then scaled. An output depends on its row alone, not on the tile's. AVX-512 VNNI, AVX2
/// or plain C++, as the CPU has it and the target in use (cpu_targets.h) allows.
void multiplyTileOnCpu(const PanelProduct& p, ProductTile tile);

} // namespace unroll::kernels
