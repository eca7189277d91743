// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/parallel_columns.h"

#include <ATen/Parallel.h>

#include <algorithm>

#ifndef _OPENMP
#error "Build the kernels with OpenMP: without it at::parallel_for uses one thread."
#endif

namespace unroll::kernels {
namespace {

constexpr std::int64_t kBlockElements = 64;      // threads share no cache line
constexpr std::int64_t kPieceElements = 4096;    // 16 KiB of fp32 state
constexpr std::int64_t kElementsAThread = 32768; // about 30 us of work, several times what waking a thread costs

} // namespace

void parallelColumns(std::int64_t batch, std::int64_t width, std::int64_t steps,
                     c10::function_ref<void(ColumnRange)> body, std::int64_t elements)
{
    const std::int64_t columns = batch * width;
    const std::int64_t blockColumns = std::max<std::int64_t>(1, kBlockElements / elements);
    const std::int64_t pieceColumns = std::max(blockColumns, kPieceElements / elements);
    const std::int64_t blocks = (columns + blockColumns - 1) / blockColumns;
    const std::int64_t grain =
        std::max<std::int64_t>(1, kElementsAThread / (blockColumns * elements * std::max<std::int64_t>(1, steps)));
    at::parallel_for(0, blocks, grain, [&](std::int64_t firstBlock, std::int64_t endBlock) {
        const std::int64_t end = std::min(columns, endBlock * blockColumns);
        for (std::int64_t begin = firstBlock * blockColumns; begin < end; begin += pieceColumns)
            body({begin, std::min(end, begin + pieceColumns)});
    });
}

} // namespace unroll::kernels
