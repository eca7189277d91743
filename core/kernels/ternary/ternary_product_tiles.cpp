// SPDX-License-Identifier: GPL-3.0-or-later
// Intrinsics, and functions compiled for their own instruction set: Highway 1.0.3 has no product of bytes. Whoever calls one has asked the CPU.
#include "core/kernels/ternary/ternary_product_tiles.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define UNROLL_INLINE inline __attribute__((always_inline))

namespace unroll::kernels {
namespace {

/// The rows of a tile where their inputs end within a group: that group's codes, filled up with zeros.
template <int kRows>
struct RowEnds {
    std::int8_t codes[kRows][kGroupInputs] = {};
};

template <int kRows>
UNROLL_INLINE RowEnds<kRows> rowEnds(const PanelProduct& p, std::int64_t row)
{
    RowEnds<kRows> ends;
    const std::int64_t left = p.shape.in % kGroupInputs;
    for (int r = 0; r < kRows; ++r)
        std::memcpy(ends.codes[r], p.codes + (row + r + 1) * p.shape.in - left, static_cast<std::size_t>(left));
    return ends;
}

template <template <int> class Tile, int... counts>
constexpr auto tableOf(std::integer_sequence<int, counts...>)
{
    return std::array<MultiplyRows, sizeof...(counts)>{&Tile<counts + 1>::multiply...};
}

/// The functions for 1, 2 .. kRows rows.
template <template <int> class Tile, int kRows>
constexpr auto kTable = tableOf<Tile>(std::make_integer_sequence<int, kRows>());

std::int32_t plainSum(const std::int8_t* codes, std::int64_t count)
{
    std::int32_t sum = 0;
    for (std::int64_t k = 0; k < count; ++k)
        sum += codes[k];
    return sum;
}

template <int kRows>
struct PlainTile {
    /// The codes of a group.
    struct Weights {
        std::int16_t input[kGroupInputs][kPanelOutputs];
    };
    using Sums = std::int32_t[kRows][kPanelOutputs];

    static Weights unpacked(const std::uint8_t* line)
    {
        Weights weights;
        for (int i = 0; i < 4; ++i)
            for (int b = 0; b < 4; ++b)
                for (int o = 0; o < kPanelOutputs; ++o)
                    weights.input[4 * i + b][o] = line[4 * o + b] >> 2 * i & 3;
        return weights;
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
        const RowEnds<kRows> ends = rowEnds<kRows>(p, row);
        for (std::int64_t i = 0; i < set.count; ++i) {
            Sums sums = {};
            for (std::int64_t g = 0; g < whole; ++g)
                addGroup(sums, unpacked(set.panel[i] + g * kPanelBytes), p.codes + row * p.shape.in + g * kGroupInputs,
                         p.shape.in);
            if (whole < p.shape.groups())
                addGroup(sums, unpacked(set.panel[i] + whole * kPanelBytes), ends.codes[0], kGroupInputs);
            for (int r = 0; r < kRows; ++r)
                store(p, row + r, set.first + i, sums[r], rowSums[r]);
        }
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

/// One panel after the other, in two halves of eight outputs. A sum of two products is at most 2 * 2 * 128, so 64 of them fit into 16 bits.
template <int kRows>
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

    /// The inputs 4 i + b of a group.
    template <int i>
    UNROLL_AVX2 static UNROLL_INLINE void addInputs(Sums& sums, const __m256i (&words)[2], const std::int8_t* codes,
                                                    std::int64_t stride)
    {
        const __m256i three = _mm256_set1_epi8(3);
        const __m256i low = _mm256_and_si256(_mm256_srli_epi32(words[0], 2 * i), three);
        const __m256i high = _mm256_and_si256(_mm256_srli_epi32(words[1], 2 * i), three);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            const __m256i four = fourCodes256(codes + r * stride + 4 * i);
            sums.half[r][0] = _mm256_add_epi16(sums.half[r][0], _mm256_maddubs_epi16(low, four));
            sums.half[r][1] = _mm256_add_epi16(sums.half[r][1], _mm256_maddubs_epi16(high, four));
        }
    }

    UNROLL_AVX2 static UNROLL_INLINE void addGroup(Sums& sums, const std::uint8_t* line, const std::int8_t* codes,
                                                   std::int64_t stride)
    {
        const __m256i words[2] = {load256(line), load256(line + kPanelBytes / 2)};
        addInputs<0>(sums, words, codes, stride);
        addInputs<1>(sums, words, codes, stride);
        addInputs<2>(sums, words, codes, stride);
        addInputs<3>(sums, words, codes, stride);
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
        const RowEnds<kRows> ends = rowEnds<kRows>(p, row);
        for (std::int64_t i = 0; i < set.count; ++i) {
            Sums total, sums;
            clear(total);
            for (std::int64_t begin = 0; begin < whole; begin += groupsTogether) {
                clear(sums);
                for (std::int64_t g = begin; g < std::min(whole, begin + groupsTogether); ++g)
                    addGroup(sums, set.panel[i] + g * kPanelBytes, codes + g * kGroupInputs, p.shape.in);
                addTo(total, sums);
            }
            if (whole < p.shape.groups()) {
                clear(sums);
                addGroup(sums, set.panel[i] + whole * kPanelBytes, ends.codes[0], kGroupInputs);
                addTo(total, sums);
            }
            for (int r = 0; r < kRows; ++r)
                store(p, row + r, set.first + i, total.half[r], rowSums[r]);
        }
    }
};

// Masked forms stand where g++ 12 would take the others' own temporaries for uninitialised.
#define UNROLL_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

UNROLL_VNNI std::int32_t vnniSum(const std::int8_t* codes, std::int64_t count)
{
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i sum = _mm512_setzero_si512();
    for (std::int64_t k = 0; k < count; k += 64) {
        const std::int64_t left = std::min<std::int64_t>(count - k, 64);
        const __mmask64 mask = ~std::uint64_t{0} >> (64 - left);
        sum = _mm512_dpbusd_epi32(sum, ones, _mm512_maskz_loadu_epi8(mask, codes + k));
    }
    return total(sum);
}

/// Four panels side by side, one register a row and panel: 16 sums for four rows, which is more than it takes to wait for none.
template <int kRows>
struct VnniTile {
    struct Sums {
        __m512i panel[kRows][kTilePanels];
    };

    /// The inputs 4 i + b of a group.
    template <int i>
    UNROLL_VNNI static UNROLL_INLINE void addInputs(Sums& sums, const PanelSet& set, std::int64_t group,
                                                    const std::int8_t* codes, std::int64_t stride)
    {
        __m512i four[kRows];
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            std::int32_t word;
            std::memcpy(&word, codes + r * stride + 4 * i, sizeof word);
            four[r] = _mm512_set1_epi32(word);
        }
#pragma GCC unroll 4
        for (int n = 0; n < kTilePanels; ++n) {
            const __m512i words = _mm512_loadu_si512(set.panel[n] + group * kPanelBytes);
            const __m512i weights =
                _mm512_and_si512(_mm512_maskz_srli_epi32(0xffff, words, 2 * i), _mm512_set1_epi8(3));
#pragma GCC unroll 8
            for (int r = 0; r < kRows; ++r)
                sums.panel[r][n] = _mm512_dpbusd_epi32(sums.panel[r][n], weights, four[r]);
        }
    }

    UNROLL_VNNI static UNROLL_INLINE void addGroup(Sums& sums, const PanelSet& set, std::int64_t group,
                                                   const std::int8_t* codes, std::int64_t stride)
    {
        addInputs<0>(sums, set, group, codes, stride);
        addInputs<1>(sums, set, group, codes, stride);
        addInputs<2>(sums, set, group, codes, stride);
        addInputs<3>(sums, set, group, codes, stride);
    }

    UNROLL_VNNI static void store(const PanelProduct& p, const PanelSet& set, std::int64_t row, const __m512i* total,
                                  std::int32_t sum)
    {
        for (std::int64_t n = 0; n < set.count; ++n) {
            const std::int64_t first = (set.first + n) * kPanelOutputs;
            const auto left = static_cast<unsigned>(std::min(p.shape.out - first, kPanelOutputs));
            const auto mask = static_cast<__mmask16>((1u << left) - 1);
            const __m512 exact = _mm512_maskz_cvtepi32_ps(0xffff, _mm512_sub_epi32(total[n], _mm512_set1_epi32(sum)));
            const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(p.step[row]), _mm512_loadu_ps(p.scale + first));
            _mm512_mask_storeu_ps(p.y + row * p.shape.out + first, mask,
                                  _mm512_fmadd_ps(exact, scale, _mm512_loadu_ps(p.bias + first)));
        }
    }

    UNROLL_VNNI static void multiply(const PanelProduct& p, const PanelSet& set, std::int64_t row,
                                     const std::int32_t* rowSums)
    {
        Sums sums;
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
            for (int n = 0; n < kTilePanels; ++n)
                sums.panel[r][n] = _mm512_setzero_si512();
        const std::int64_t whole = p.shape.in / kGroupInputs;
        const std::int8_t* codes = p.codes + row * p.shape.in;
        for (std::int64_t g = 0; g < whole; ++g)
            addGroup(sums, set, g, codes + g * kGroupInputs, p.shape.in);
        if (whole < p.shape.groups()) {
            const RowEnds<kRows> ends = rowEnds<kRows>(p, row);
            addGroup(sums, set, whole, ends.codes[0], kGroupInputs);
        }
        Sums total; // apart, so that the sums above need no addresses and stay in registers
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
            for (int n = 0; n < kTilePanels; ++n)
                total.panel[r][n] = sums.panel[r][n];
        for (int r = 0; r < kRows; ++r)
            store(p, set, row + r, total.panel[r], rowSums[r]);
    }
};

#endif // __x86_64__

} // namespace

const TernaryTiles& plainTiles()
{
    static constexpr TernaryTiles tiles = {plainSum, 4, kTable<PlainTile, 4>.data()};
    return tiles;
}

#if defined(__x86_64__)

const TernaryTiles& avx2Tiles()
{
    static constexpr TernaryTiles tiles = {avx2Sum, 4, kTable<Avx2Tile, 4>.data()};
    return tiles;
}

const TernaryTiles& vnniTiles()
{
    static constexpr TernaryTiles tiles = {vnniSum, 4, kTable<VnniTile, 4>.data()};
    return tiles;
}

#endif

} // namespace unroll::kernels
