// SPDX-License-Identifier: GPL-3.0-or-later
// Takes fp32 numbers apart into bf16 numbers, in the order of tiles: a line of left is a row along the depth, a line of
// right is two rows, the numbers of each column side by side. Which of both a matrix gives without exchanging lines and
// lanes hangs on which of its strides is 1.
#include "core/linalg/amx/amx.h"
#include "core/linalg/amx/split_tiles.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#define UNROLL_AVX512 __attribute__((target("avx512f,avx512bw")))
#define UNROLL_INLINE inline __attribute__((always_inline))

namespace unroll::linalg {
namespace {

constexpr __mmask16 kAll =
    0xffff; // masked forms stand where g++ 12 would take the others' own temporaries for uninitialised

constexpr __mmask32 kUpperHalves = 0xaaaaaaaa;

/// bf16 numbers, each in the upper half of a lane. The lower half of the last counts for nothing: it is zero but where
/// a number below 2^-110 leaves denormal bits there.
struct Parts {
    __m512i of[kSplitParts];
};

UNROLL_AVX512 UNROLL_INLINE __m512i rounded(__m512 x)
{
    const __m512i up = _mm512_add_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(0x8000));
    return _mm512_and_si512(up, _mm512_set1_epi32(static_cast<int>(0xffff0000)));
}

/// The largest number that rounds to a finite bf16 number.
constexpr float kLargest = 0x1.fefffep127F;

/// Rounding to 8 bits leaves 16, and then 7, which are the last part as they stand. `odd` receives the lanes that have
/// no parts.
UNROLL_AVX512 UNROLL_INLINE Parts split(__m512 x, __mmask16& odd)
{
    odd = _kor_mask16(odd, _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(kLargest), _CMP_NLE_UQ));
    Parts parts;
    parts.of[0] = rounded(x);
    const __m512 rest = _mm512_sub_ps(x, _mm512_castsi512_ps(parts.of[0]));
    parts.of[1] = rounded(rest);
    parts.of[2] = _mm512_castps_si512(_mm512_sub_ps(rest, _mm512_castsi512_ps(parts.of[1])));
    return parts;
}

/// Rows of left or columns of right, `sideStride` apart.
struct Side {
    const float* data;
    std::int64_t sideStride, depthStride, count;
    const float* scale = nullptr; ///< along the depth, or absent
    double* sums = nullptr;       ///< of each along the depth, or absent
};

/// What a tile has of them: less than 16 by 32 where they end.
struct Piece {
    const float* data;
    std::int64_t sideStride, depthStride, sides, depth;
    const float* scale;
    double* sums;
};

UNROLL_AVX512 UNROLL_INLINE __mmask16 firstLanes(std::int64_t count)
{
    return static_cast<__mmask16>((1U << std::clamp<std::int64_t>(count, 0, 16)) - 1);
}

struct Lines {
    __m512i of[kSplitParts][kTileLines];
};

/// Half a line of a side.
UNROLL_AVX512 UNROLL_INLINE Parts partsAlong(const Piece& piece, std::int64_t side, std::int64_t depth, __mmask16& odd)
{
    const __mmask16 lanes = firstLanes(piece.depth - depth);
    const __m512 x = _mm512_maskz_loadu_ps(lanes, piece.data + side * piece.sideStride + depth);
    if (piece.scale == nullptr)
        return split(x, odd);
    return split(_mm512_mul_ps(x, _mm512_maskz_loadu_ps(lanes, piece.scale + depth)), odd);
}

/// Lines of sides, from data that is contiguous along the depth.
UNROLL_AVX512 UNROLL_INLINE void linesOfSides(const Piece& piece, Lines& lines, __mmask16& odd)
{
    alignas(64) static constexpr std::uint16_t upper[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21,
                                                            23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43,
                                                            45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    const __m512i halves = _mm512_load_si512(upper);
    for (std::int64_t i = 0; i < piece.sides; ++i) {
        const Parts first = partsAlong(piece, i, 0, odd), second = partsAlong(piece, i, kSplitTileSide, odd);
#pragma GCC unroll 3
        for (int part = 0; part < kSplitParts; ++part)
            lines.of[part][i] = _mm512_permutex2var_epi16(first.of[part], halves, second.of[part]);
    }
    for (std::int64_t i = piece.sides; i < kTileLines; ++i)
        for (auto& part : lines.of)
            part[i] = _mm512_setzero_si512();
}

/// All sides at one depth.
UNROLL_AVX512 UNROLL_INLINE Parts partsAcross(const Piece& piece, std::int64_t depth, __mmask16& odd)
{
    const __mmask16 lanes = depth < piece.depth ? firstLanes(piece.sides) : 0;
    const __m512 x = _mm512_maskz_loadu_ps(lanes, piece.data + depth * piece.depthStride);
    if (piece.scale == nullptr || depth >= piece.depth)
        return split(x, odd);
    return split(_mm512_mul_ps(x, _mm512_set1_ps(piece.scale[depth])), odd);
}

/// Lines of two depths each, from data that is contiguous across it.
UNROLL_AVX512 UNROLL_INLINE void linesOfPairs(const Piece& piece, Lines& lines, __mmask16& odd)
{
    for (std::int64_t i = 0; i < kTileLines; ++i) {
        const Parts first = partsAcross(piece, 2 * i, odd), second = partsAcross(piece, 2 * i + 1, odd);
#pragma GCC unroll 3
        for (int part = 0; part < kSplitParts; ++part)
            lines.of[part][i] = _mm512_mask_blend_epi16(kUpperHalves, _mm512_maskz_srli_epi32(kAll, first.of[part], 16),
                                                        second.of[part]);
    }
}

/// Lanes of `low` and `high`, four lanes together: 0 and 2 of each for even, 1 and 3 for odd.
UNROLL_AVX512 UNROLL_INLINE __m512i evenFours(__m512i low, __m512i high)
{
    return _mm512_maskz_shuffle_i32x4(kAll, low, high, 0x88);
}
UNROLL_AVX512 UNROLL_INLINE __m512i oddFours(__m512i low, __m512i high)
{
    return _mm512_maskz_shuffle_i32x4(kAll, low, high, 0xdd);
}

/// Exchanges lines and lanes.
UNROLL_AVX512 UNROLL_INLINE void transpose(__m512i (&lines)[kTileLines])
{
    __m512i fours[kTileLines]; // [4 q + j]: lanes j, 4 + j, 8 + j, 12 + j, each of lines 4 q to 4 q + 3
#pragma GCC unroll 4
    for (int q = 0; q < kTileLines; q += 4) {
        const __m512i low01 = _mm512_maskz_unpacklo_epi32(kAll, lines[q], lines[q + 1]);
        const __m512i high01 = _mm512_maskz_unpackhi_epi32(kAll, lines[q], lines[q + 1]);
        const __m512i low23 = _mm512_maskz_unpacklo_epi32(kAll, lines[q + 2], lines[q + 3]);
        const __m512i high23 = _mm512_maskz_unpackhi_epi32(kAll, lines[q + 2], lines[q + 3]);
        fours[q] = _mm512_maskz_unpacklo_epi64(0xff, low01, low23);
        fours[q + 1] = _mm512_maskz_unpackhi_epi64(0xff, low01, low23);
        fours[q + 2] = _mm512_maskz_unpacklo_epi64(0xff, high01, high23);
        fours[q + 3] = _mm512_maskz_unpackhi_epi64(0xff, high01, high23);
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
        const __m512i even01 = evenFours(fours[j], fours[4 + j]), odd01 = oddFours(fours[j], fours[4 + j]);
        const __m512i even23 = evenFours(fours[8 + j], fours[12 + j]), odd23 = oddFours(fours[8 + j], fours[12 + j]);
        lines[j] = evenFours(even01, even23);
        lines[4 + j] = evenFours(odd01, odd23);
        lines[8 + j] = oddFours(even01, even23);
        lines[12 + j] = oddFours(odd01, odd23);
    }
}

UNROLL_AVX512 void addToSums(const Piece& piece)
{
    if (piece.depthStride == 1) {
        for (std::int64_t i = 0; i < piece.sides; ++i)
            for (std::int64_t k = 0; k < piece.depth; ++k)
                piece.sums[i] += piece.data[i * piece.sideStride + k];
        return;
    }
    const __mmask16 sides = firstLanes(piece.sides);
    __m512 total = _mm512_setzero_ps();
    for (std::int64_t k = 0; k < piece.depth; ++k)
        total = _mm512_add_ps(total, _mm512_maskz_loadu_ps(sides, piece.data + k * piece.depthStride));
    alignas(64) float totals[kSplitTileSide];
    _mm512_store_ps(totals, total);
    for (std::int64_t i = 0; i < piece.sides; ++i)
        piece.sums[i] += totals[i];
}

/// The tiles of a piece, one a part. The answer is not 0 where a number has no parts.
UNROLL_AVX512 __mmask16 packPiece(const Piece& piece, bool wantsSides, int parts, std::uint8_t* to)
{
    if (piece.sums != nullptr)
        addToSums(piece);
    Lines lines;
    __mmask16 odd = 0;
    const bool hasSides = piece.depthStride == 1;
    if (hasSides)
        linesOfSides(piece, lines, odd);
    else
        linesOfPairs(piece, lines, odd);
    for (int part = 0; part < parts; ++part, to += 2 * kTileBytes) {
        if (hasSides != wantsSides)
            transpose(lines.of[part]);
        for (std::int64_t i = 0; i < kTileLines; ++i)
            _mm512_storeu_si512(to + i * kTileLineBytes, lines.of[part][i]);
    }
    return odd;
}

constexpr std::int64_t kTilesAhead = 1; ///< along the depth

/// Fetches a panel's numbers at a depth: short runs far apart, which the processor does not foresee.
UNROLL_INLINE void fetch(const Side& side, Range depth, std::int64_t panel)
{
    constexpr std::int64_t line = 64 / sizeof(float);
    const std::int64_t first = panel * kSplitPanel, last = std::min(first + kSplitPanel, side.count);
    const bool alongDepth = side.depthStride == 1;
    for (std::int64_t i = first; i < last; i += alongDepth ? 1 : line)
        for (std::int64_t k = depth.begin; k < depth.end; k += alongDepth ? line : 1)
            _mm_prefetch(side.data + i * side.sideStride + k * side.depthStride, _MM_HINT_T0);
}

/// A panel: two tiles beside each other, the second of which may have nothing. False where a number has no parts.
bool packPanel(const Side& side, Range depth, std::int64_t panel, bool wantsSides, int parts, std::uint8_t* to)
{
    unsigned odd = 0;
    for (std::int64_t k = depth.begin; k < depth.end; k += kSplitTileDepth, to += 2 * parts * kTileBytes) {
        const std::int64_t ahead = k + kTilesAhead * kSplitTileDepth;
        fetch(side, {ahead, std::min(ahead + kSplitTileDepth, depth.end)}, panel);
        for (std::int64_t half = 0; half < 2; ++half) {
            const std::int64_t first = panel * kSplitPanel + half * kSplitTileSide;
            const std::int64_t sides = std::clamp<std::int64_t>(side.count - first, 0, kSplitTileSide);
            const std::int64_t at = sides > 0 ? first * side.sideStride + k * side.depthStride : 0;
            const float* scale = side.scale != nullptr ? side.scale + k : nullptr;
            double* sums = side.sums != nullptr && sides > 0 ? side.sums + first : nullptr;
            odd |= packPiece({side.data + at, side.sideStride, side.depthStride, sides,
                              std::min(kSplitTileDepth, depth.end - k), scale, sums},
                             wantsSides, parts, to + half * kTileBytes);
        }
    }
    return odd == 0;
}

} // namespace

std::int64_t packedPanelBytes(std::int64_t panels, int parts, std::int64_t depth)
{
    return panels * parts * 2 * kTileBytes * tilesDeep({0, std::min(depth, kSplitDepth)});
}

bool packColumns(const SplitProduct& p, Range depth, Range panels, std::uint8_t* packed)
{
    const Side side{p.right.data, p.right.columnStride, p.right.rowStride, p.columns};
    const std::int64_t bytes = tilesDeep(depth) * 2 * kTileBytes * p.rightParts;
    bool whole = true;
    for (std::int64_t i = panels.begin; i < panels.end; ++i)
        whole = packPanel(side, depth, i, false, p.rightParts, packed + i * bytes) && whole;
    return whole;
}

bool packRows(const SplitProduct& p, Range depth, Range panels, std::uint8_t* packed)
{
    const Side side{p.left.data, p.left.rowStride, p.left.columnStride, p.rows, p.scale, p.leftSums};
    const std::int64_t bytes = tilesDeep(depth) * 2 * kTileBytes * kSplitParts;
    bool whole = true;
    for (std::int64_t i = panels.begin; i < panels.end; ++i)
        whole = packPanel(side, depth, i, true, kSplitParts, packed + (i - panels.begin) * bytes) && whole;
    return whole;
}

} // namespace unroll::linalg

#endif // __x86_64__
