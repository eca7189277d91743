// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles in plain C++ and in AVX2: intrinsics, and functions compiled for their own instruction set, since Highway 1.0.3
// has no product of bytes. Whoever calls one has asked the CPU.
#include "core/kernels/ternary/ternary_product_tiles.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace unroll::kernels {
namespace {

std::int32_t plainSum(const std::int8_t* codes, std::int64_t count)
{
    std::int32_t sum = 0;
    for (std::int64_t k = 0; k < count; ++k)
        sum += codes[k];
    return sum;
}

/// One panel after the other.
template <int kRows, bool kSpread>
struct PlainTile {
    /// The codes of a group.
    struct Weights {
        std::int16_t input[kGroupInputs][kPanelOutputs];
    };
    using Sums = std::int32_t[kRows][kPanelOutputs];

    static Weights weights(const PanelSet& set, std::int64_t group)
    {
        Weights codes;
        for (int i = 0; i < 4; ++i) {
            const std::uint8_t* line = kSpread ? spreadLine(set, 1, 0, group, i) : set.packed[0] + group * kPanelBytes;
            for (int b = 0; b < 4; ++b)
                for (int o = 0; o < kPanelOutputs; ++o)
                    codes.input[4 * i + b][o] = line[4 * o + b] >> (kSpread ? 0 : 2 * i) & 3;
        }
        return codes;
    }

    static void addGroup(Sums& sums, const Weights& weights, const std::int8_t* codes, std::int64_t stride)
    {
        for (int r = 0; r < kRows; ++r)
            for (int k = 0; k < kGroupInputs; ++k)
                for (int o = 0; o < kPanelOutputs; ++o)
                    sums[r][o] += weights.input[k][o] * codes[r * stride + k];
    }

    static void store(const PanelProduct& p, std::int64_t row, std::int64_t panel, const std::int32_t* total,
                      std::int32_t sum)
    {
        const std::int64_t first = panel * kPanelOutputs;
        for (std::int64_t o = first; o < std::min(first + kPanelOutputs, p.shape.out); ++o) {
            const auto exact = static_cast<float>(total[o - first] - sum);
            p.y[row * p.shape.out + o] = exact * (p.step[row] * p.scale[o]) + p.bias[o];
        }
    }

    static void multiply(const PanelProduct& p, const PanelSet& set, std::int64_t row, const std::int32_t* rowSums)
    {
        const std::int64_t whole = p.shape.in / kGroupInputs;
        Sums sums = {};
        for (std::int64_t g = 0; g < whole; ++g)
            addGroup(sums, weights(set, g), p.codes + row * p.shape.in + g * kGroupInputs, p.shape.in);
        if (whole < p.shape.groups())
            addGroup(sums, weights(set, whole), rowEnds<kRows>(p, row).codes[0], kGroupInputs);
        for (int r = 0; r < kRows; ++r)
            store(p, row + r, set.first, sums[r], rowSums[r]);
    }
};

#if defined(__x86_64__)

/// The sum of the 32-bit numbers of a vector.
template <class Vector>
std::int32_t total(const Vector& sums)
{
    std::int32_t parts[sizeof(Vector) / 4], all = 0;
    std::memcpy(parts, &sums, sizeof parts);
    for (const std::int32_t part : parts)
        all += part;
    return all;
}

#define UNROLL_AVX2 __attribute__((target("avx2,fma")))

UNROLL_AVX2 UNROLL_INLINE __m256i fourCodes256(const std::int8_t* codes)
{
    std::int32_t four;
    std::memcpy(&four, codes, sizeof four);
    return _mm256_set1_epi32(four);
}

UNROLL_AVX2 UNROLL_INLINE __m256i load256(const void* from)
{
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

UNROLL_AVX2 std::int32_t avx2Sum(const std::int8_t* codes, std::int64_t count)
{
    const __m256i bytes = _mm256_set1_epi8(1), shorts = _mm256_set1_epi16(1);
    __m256i sum = _mm256_setzero_si256();
    std::int64_t k = 0;
    for (; k + 32 <= count; k += 32)
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, load256(codes + k)), shorts));
    return total(sum) + plainSum(codes + k, count - k);
}

/// One panel, in two halves of eight outputs. A sum of two products is at most 2 * 2 * 128, so 64 of them fit into 16
/// bits.
template <int kRows, bool kSpread>
struct Avx2Tile {
    struct Sums {
        __m256i half[kRows][2];
    };

    UNROLL_AVX2 static UNROLL_INLINE void clear(Sums& sums)
    {
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
            sums.half[r][0] = sums.half[r][1] = _mm256_setzero_si256();
    }

    /// A quarter of a group, inputs 4 i + b: eight outputs.
    template <int i>
    UNROLL_AVX2 static UNROLL_INLINE __m256i weights(const PanelSet& set, std::int64_t group, int half)
    {
        const std::int64_t offset = half * kPanelBytes / 2;
        if constexpr (kSpread)
            return load256(spreadLine(set, 1, 0, group, i) + offset);
        const __m256i words = load256(set.packed[0] + group * kPanelBytes + offset);
        return _mm256_and_si256(_mm256_srli_epi32(words, 2 * i), _mm256_set1_epi8(3));
    }

    template <int i>
    UNROLL_AVX2 static UNROLL_INLINE void addQuarter(Sums& sums, const PanelSet& set, std::int64_t group,
                                                     const std::int8_t* codes, std::int64_t stride)
    {
        const __m256i low = weights<i>(set, group, 0), high = weights<i>(set, group, 1);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            const __m256i four = fourCodes256(codes + r * stride + 4 * i);
            sums.half[r][0] = _mm256_add_epi16(sums.half[r][0], _mm256_maddubs_epi16(low, four));
            sums.half[r][1] = _mm256_add_epi16(sums.half[r][1], _mm256_maddubs_epi16(high, four));
        }
    }

    UNROLL_AVX2 static UNROLL_INLINE void addGroup(Sums& sums, const PanelSet& set, std::int64_t group,
                                                   const std::int8_t* codes, std::int64_t stride)
    {
        addQuarter<0>(sums, set, group, codes, stride);
        addQuarter<1>(sums, set, group, codes, stride);
        addQuarter<2>(sums, set, group, codes, stride);
        addQuarter<3>(sums, set, group, codes, stride);
    }

    /// total += sums, widened to 32 bits.
    UNROLL_AVX2 static UNROLL_INLINE void addTo(Sums& total, const Sums& sums)
    {
        const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
            for (int half = 0; half < 2; ++half)
                total.half[r][half] =
                    _mm256_add_epi32(total.half[r][half], _mm256_madd_epi16(sums.half[r][half], ones));
    }

    UNROLL_AVX2 static void store(const PanelProduct& p, std::int64_t row, std::int64_t panel, const __m256i* total,
                                  std::int32_t sum)
    {
        const __m256i counts = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        for (int half = 0; half < 2; ++half) {
            const std::int64_t first = panel * kPanelOutputs + 8 * half;
            const auto left = static_cast<int>(std::min<std::int64_t>(p.shape.out - first, 8));
            const __m256 exact = _mm256_cvtepi32_ps(_mm256_sub_epi32(total[half], _mm256_set1_epi32(sum)));
            const __m256 scale = _mm256_mul_ps(_mm256_set1_ps(p.step[row]), _mm256_loadu_ps(p.scale + first));
            if (left > 0)
                _mm256_maskstore_ps(p.y + row * p.shape.out + first,
                                    _mm256_cmpgt_epi32(_mm256_set1_epi32(left), counts),
                                    _mm256_fmadd_ps(exact, scale, _mm256_loadu_ps(p.bias + first)));
        }
    }

    UNROLL_AVX2 static void multiply(const PanelProduct& p, const PanelSet& set, std::int64_t row,
                                     const std::int32_t* rowSums)
    {
        constexpr std::int64_t groupsTogether = 16;
        const std::int64_t whole = p.shape.in / kGroupInputs;
        const std::int8_t* codes = p.codes + row * p.shape.in;
        Sums total, sums;
        clear(total);
        for (std::int64_t begin = 0; begin < whole; begin += groupsTogether) {
            clear(sums);
            for (std::int64_t g = begin; g < std::min(whole, begin + groupsTogether); ++g)
                addGroup(sums, set, g, codes + g * kGroupInputs, p.shape.in);
            addTo(total, sums);
        }
        if (whole < p.shape.groups()) {
            const RowEnds<kRows> ends = rowEnds<kRows>(p, row);
            clear(sums);
            addGroup(sums, set, whole, ends.codes[0], kGroupInputs);
            addTo(total, sums);
        }
        for (int r = 0; r < kRows; ++r)
            store(p, row + r, set.first, total.half[r], rowSums[r]);
    }
};

template <int kRows>
using PackedAvx2Tile = Avx2Tile<kRows, false>;
template <int kRows>
using SpreadAvx2Tile = Avx2Tile<kRows, true>;

#endif // __x86_64__

template <int kRows>
using PackedPlainTile = PlainTile<kRows, false>;
template <int kRows>
using SpreadPlainTile = PlainTile<kRows, true>;

} // namespace

const TernaryTiles& plainTiles()
{
    static constexpr TernaryTiles tiles = {
        plainSum, {4, 1, multiplyByTiles<PackedPlainTile, 4>}, {4, 1, multiplyByTiles<SpreadPlainTile, 4>}};
    return tiles;
}

#if defined(__x86_64__)

const TernaryTiles& avx2Tiles()
{
    static constexpr TernaryTiles tiles = {
        avx2Sum, {4, 1, multiplyByTiles<PackedAvx2Tile, 4>}, {4, 1, multiplyByTiles<SpreadAvx2Tile, 4>}};
    return tiles;
}

#endif

} // namespace unroll::kernels
