// SPDX-License-Identifier: GPL-3.0-or-later
// How the scans' columns are laid over a CUDA grid. Host code; included by .cu files.
#pragma once

#include <cstdint>

namespace unroll::kernels {

struct ColumnGrid {
    unsigned blocks = 0;
    unsigned threads = 0;

    explicit operator bool() const { return blocks > 0; }
};

/// One thread a column. Few columns go in blocks of one warp, to reach more multiprocessors. Empty where the grid would
/// be too large (more than 2^31 - 1 blocks).
inline ColumnGrid columnGrid(std::int64_t columns)
{
    const std::int64_t threads = columns >= 32768 ? 128 : 32;
    const std::int64_t blocks = (columns + threads - 1) / threads;
    if (columns <= 0 || blocks > 0x7fffffff)
        return {};
    return {static_cast<unsigned>(blocks), static_cast<unsigned>(threads)};
}

} // namespace unroll::kernels
