// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles in AVX-512 VNNI intrinsics, compiled for that instruction set. Whoever calls them has asked the CPU.
#include "core/kernels/ternary/ternary_product_tiles.h"

#if defined(__x86_64__)

#include <algorithm>
#include <immintrin.h>

// Masked forms stand where g++ 12 would take the others' own temporaries for uninitialised.
#define UNROLL_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

namespace unroll::kernels {
namespace {

UNROLL_VNNI std::int32_t vnniSum(const std::int8_t* codes, std::int64_t count)
{
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i sum = _mm512_setzero_si512();
    for (std::int64_t k = 0; k < count; k += 64) {
        const std::int64_t left = std::min<std::int64_t>(count - k, 64);
        const __mmask64 mask = ~std::uint64_t{0} >> (64 - left);
        sum = _mm512_dpbusd_epi32(sum, ones, _mm512_maskz_loadu_epi8(mask, codes + k));
    }
    std::int32_t parts[16], total = 0;
    std::memcpy(parts, &sum, sizeof parts);
    for (const std::int32_t part : parts)
        total += part;
    return total;
}

UNROLL_VNNI UNROLL_INLINE void store(const PanelProduct& p, std::int64_t row, std::int64_t panel, __m512i total)
{
    const std::int64_t first = panel * kPanelOutputs, left = p.shape.out - first;
    const __m512 exact = _mm512_maskz_cvtepi32_ps(0xffff, total);
    const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(p.step[row]), _mm512_loadu_ps(p.scale + first));
    const __m512 y = _mm512_fmadd_ps(exact, scale, _mm512_loadu_ps(p.bias + first));
    float* to = p.y + row * p.shape.out + first;
    if (p.streamed)
        _mm512_stream_ps(to, y);
    else if (left >= kPanelOutputs) // Zen 4 takes long over a store with a mask
        _mm512_storeu_ps(to, y);
    else
        _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << left) - 1), y);
}

/// Panels side by side, one register a row and panel: up to 12 or 16 sums, which is more than it takes to wait for
/// none. A line of spread weights is read for six products, a word of codes for two, so that it is the multipliers that
/// are waited for.
template <int kRows, bool kSpread>
struct VnniTile {
    static constexpr int kPanels = kSpread ? kSpreadPanels : 4;
    using Sums = __m512i[kRows][kPanels];

    /// A quarter of a group: inputs 4 i + b.
    template <int i>
    UNROLL_VNNI static UNROLL_INLINE __m512i weights(const PanelSet& set, int panel, std::int64_t group)
    {
        if constexpr (kSpread)
            return _mm512_loadu_si512(spreadLine(set, kPanels, panel, group, i));
        const __m512i words = _mm512_loadu_si512(set.packed[panel] + group * kPanelBytes);
        return _mm512_and_si512(_mm512_maskz_srli_epi32(0xffff, words, 2 * i), _mm512_set1_epi8(3));
    }

    template <int i>
    UNROLL_VNNI static UNROLL_INLINE void addQuarter(Sums& sums, const PanelSet& set, std::int64_t group,
                                                     const std::int8_t* codes, std::int64_t stride)
    {
        __m512i w[kPanels];
#pragma GCC unroll 4
        for (int n = 0; n < kPanels; ++n)
            w[n] = weights<i>(set, n, group);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            std::int32_t word;
            std::memcpy(&word, codes + r * stride + 4 * i, sizeof word);
            const __m512i four = _mm512_set1_epi32(word);
#pragma GCC unroll 4
            for (int n = 0; n < kPanels; ++n)
                sums[r][n] = _mm512_dpbusd_epi32(sums[r][n], w[n], four);
        }
    }

    UNROLL_VNNI static UNROLL_INLINE void addGroup(Sums& sums, const PanelSet& set, std::int64_t group,
                                                   const std::int8_t* codes, std::int64_t stride)
    {
        if constexpr (!kSpread)
#pragma GCC unroll 4
            for (int n = 0; n < kPanels; ++n)
                _mm_prefetch(set.packed[n] + set.ahead + group * kPanelBytes, _MM_HINT_T1);
        addQuarter<0>(sums, set, group, codes, stride);
        addQuarter<1>(sums, set, group, codes, stride);
        addQuarter<2>(sums, set, group, codes, stride);
        addQuarter<3>(sums, set, group, codes, stride);
    }

    UNROLL_VNNI static void multiply(const PanelProduct& p, const PanelSet& set, std::int64_t row,
                                     const std::int32_t* rowSums)
    {
        Sums sums;
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
            for (int n = 0; n < kPanels; ++n)
                sums[r][n] = _mm512_setzero_si512();
        const std::int64_t whole = p.shape.in / kGroupInputs;
        const std::int8_t* codes = p.codes + row * p.shape.in;
        for (std::int64_t g = 0; g < whole; ++g)
            addGroup(sums, set, g, codes + g * kGroupInputs, p.shape.in);
        if (whole < p.shape.groups())
            addGroup(sums, set, whole, rowEnds<kRows>(p, row).codes[0], kGroupInputs);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            const __m512i ofRow = _mm512_set1_epi32(rowSums[r]);
#pragma GCC unroll 4
            for (int n = 0; n < kPanels; ++n)
                if (n < set.count)
                    store(p, row + r, set.first + n, _mm512_sub_epi32(sums[r][n], ofRow));
        }
    }
};

template <int kRows>
using PackedTile = VnniTile<kRows, false>;
template <int kRows>
using SpreadTile = VnniTile<kRows, true>;

} // namespace

UNROLL_VNNI void storeTotals(const PanelProduct& p, const PanelSet& set, RowRange rows, const std::int32_t* totals,
                             const std::int32_t* sums)
{
    for (std::int64_t r = 0; r < rows.end - rows.begin; ++r) {
        const __m512i ofRow = _mm512_set1_epi32(sums[r]);
        for (std::int64_t n = 0; n < std::min<std::int64_t>(set.count, kSpreadPanels); ++n) {
            const __m512i total = _mm512_loadu_si512(totals + (r * kSpreadPanels + n) * kPanelOutputs);
            store(p, rows.begin + r, set.first + n, _mm512_sub_epi32(total, ofRow));
        }
    }
}

const TernaryTiles& vnniTiles()
{
    static constexpr TernaryTiles tiles = {vnniSum,
                                           {4, PackedTile<1>::kPanels, multiplyByTiles<PackedTile, 4>},
                                           {6, SpreadTile<1>::kPanels, multiplyByTiles<SpreadTile, 6>}};
    return tiles;
}

} // namespace unroll::kernels

#endif // __x86_64__
