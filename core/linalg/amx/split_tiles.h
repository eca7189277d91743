// SPDX-License-Identifier: GPL-3.0-or-later
// Products of fp32 matrices by AMX, which multiplies bf16 numbers and sums in fp32. An fp32 number is the sum of three
// bf16 numbers, exactly; of the nine products of two such sums the six are taken that reach the last bits of fp32. The
// error is that of fp32 products: relative RMS 1.8e-7 for sums of 512 terms, 7e-7 for 8,192 (docs/numerics.md); parts
// below 2^-126 count as 0. A factor whose numbers are bf16 as they stand, like ternary weights and 8-bit codes, needs
// three products.
#pragma once

#include <cstdint>

namespace unroll::linalg {

constexpr int kSplitParts = 3;
constexpr std::int64_t kSplitPanel = 32;  ///< rows or columns that are packed and multiplied together
constexpr std::int64_t kSplitDepth = 512; ///< that is packed at a time

/// A matrix, one of whose strides is 1.
struct SplitFactor {
    const float* data = nullptr;
    std::int64_t rowStride = 0, columnStride = 0;
};

/// out = left diag(scale) right + bias.
struct SplitProduct {
    SplitFactor left;             ///< (rows, depth)
    SplitFactor right;            ///< (depth, columns)
    int rightParts = kSplitParts; ///< or 1: each of its numbers is a bf16 number
    std::int64_t rows = 0, depth = 0, columns = 0;
    const float* scale = nullptr; ///< (depth), or absent
    const float* bias = nullptr;  ///< (columns, put out to whole panels)
    float* out = nullptr;         ///< (rows, columns)
    double* leftSums = nullptr;   ///< (rows), or absent: left's rows are added to them, without scale
};

/// Of panels, of rows, or of the depth, kSplitDepth of it at most.
struct Range {
    std::int64_t begin = 0, end = 0;
};

/// Bytes that so many panels take, packed: of a depth, or of what is packed of it at a time.
std::int64_t packedPanelBytes(std::int64_t panels, int parts, std::int64_t depth);

/// Panels [begin, end) of right's columns, each put in its place; the same of left's rows, the first one foremost.
/// False where a number, times its scale, has no parts: what is not finite, or beyond 3.38e38. What is packed then is
/// of no use.
bool packColumns(const SplitProduct& p, Range depth, Range panels, std::uint8_t* packed);
bool packRows(const SplitProduct& p, Range depth, Range panels, std::uint8_t* packed);

/// Rows [begin, end) of out, begin at a panel, from what was packed: made at the beginning of the depth, added to after
/// that. A number of out depends on its row and its column alone, not on the range.
void multiplyPacked(const SplitProduct& p, Range depth, Range rows, const std::uint8_t* packedRows,
                    const std::uint8_t* packedColumns);

// For packing and multiplying. A panel lies as its tiles do along the depth; at each depth the parts follow one
// another, of each the two tiles.

constexpr std::int64_t kSplitTileSide = 16;  ///< rows of a tile of left, columns of one of right
constexpr std::int64_t kSplitTileDepth = 32; ///< bf16 numbers in a line of it

inline std::int64_t tilesDeep(Range depth)
{
    return (depth.end - depth.begin + kSplitTileDepth - 1) / kSplitTileDepth;
}

} // namespace unroll::linalg
