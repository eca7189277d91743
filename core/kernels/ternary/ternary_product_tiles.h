// SPDX-License-Identifier: GPL-3.0-or-later
// What an instruction set has to give for the ternary product.
#pragma once

#include "core/kernels/ternary/ternary_product_cpu.h"

namespace unroll::kernels {

/// The packed panels of a tile. kTilePanels may be read, `count` are there.
struct PanelSet {
    const std::uint8_t* panel[kTilePanels] = {};
    std::int64_t first = 0, count = 0;
};

/// y of some rows from `row` on, for a set's panels; sums of those rows' codes.
using MultiplyRows = void (*)(const PanelProduct& p, const PanelSet& set, std::int64_t row, const std::int32_t* sums);

struct TernaryTiles {
    std::int32_t (*sum)(const std::int8_t* codes, std::int64_t count);
    std::int64_t rows;            ///< that are multiplied together at most
    const MultiplyRows* multiply; ///< by the number of rows less one
};

const TernaryTiles& plainTiles();
#if defined(__x86_64__)
const TernaryTiles& avx2Tiles();
const TernaryTiles& vnniTiles();
#endif

} // namespace unroll::kernels
