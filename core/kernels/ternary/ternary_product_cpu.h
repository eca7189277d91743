// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/ternary/ternary_params.h"

namespace unroll::kernels {

constexpr std::int64_t kBlockRows = 192; ///< of a block at most: their codes stay in a core's cache
constexpr std::int64_t kBlockPanels = 4; ///< the panels of a block are a multiple of this many, but at the end

/// A TernaryProduct, its scales and biases put out to whole panels.
struct PanelProduct {
    const std::int8_t* codes = nullptr;
    const float* step = nullptr;
    const std::uint8_t* packed = nullptr;
    const float* scale = nullptr; ///< of each output
    const float* bias = nullptr;  ///< likewise; zeros where there is none
    PackedShape shape;
    float* y = nullptr;
    bool streamed = false; ///< y may be written past the caches: its rows are whole panels, each a line of theirs
};

/// Some rows by some panels of the product.
struct ProductBlock {
    RowRange rows, panels;
};

/// One block, on the calling thread: exact in integers, then scaled. An output depends on its row alone, not on the
/// block. AVX-512 VNNI, AVX2 or plain C++, as the CPU has it and the target in use (cpu_targets.h) allows.
void multiplyBlockOnCpu(const PanelProduct& p, const ProductBlock& block);

} // namespace unroll::kernels
