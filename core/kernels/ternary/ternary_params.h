// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of the ternary layer are given: plain pointers and sizes, in elements. All rows are
// contiguous.
#pragma once

#include "core/kernels/scan/rows.h"

#include <cmath>
#include <cstdint>

namespace unroll::kernels {

constexpr double kTernaryFloor = 1e-5;  ///< of the largest number of a row, and of a weight's scale
constexpr float kLargestCode = 127;     ///< of a row
constexpr std::int64_t kGainRows = 256; ///< whose share of the gain's gradient is summed apart: whatever the threads

constexpr std::int64_t kPanelOutputs = 16; ///< outputs that lie side by side
constexpr std::int64_t kGroupInputs = 16;  ///< inputs of an output in one 32-bit word
constexpr std::int64_t kPanelBytes = 64;   ///< of one panel and one group: a cache line, an AVX-512 register

/// Ternary weights at two bits each: 0, 1, 2 stand for -1, 0, 1. A panel holds 16 outputs, and for each group of 16
/// inputs a line of 16 words, one an output. Bits 8 b + 2 i of a word are the code of input 4 i + b: shifted by 2 i and
/// masked, a word holds four inputs side by side in its bytes, as the byte products of SIMD want them. What fills up
/// the last panel and group is the code of 0.
struct PackedShape {
    std::int64_t out = 0, in = 0;

    UNROLL_HOST_DEVICE std::int64_t panels() const { return (out + kPanelOutputs - 1) / kPanelOutputs; }
    UNROLL_HOST_DEVICE std::int64_t groups() const { return (in + kGroupInputs - 1) / kGroupInputs; }
    UNROLL_HOST_DEVICE std::int64_t panelBytes() const { return groups() * kPanelBytes; }
};

/// The scales of a weight whose outputs are equal parts with one each.
struct OutputScales {
    const float* values = nullptr;
    std::int64_t outputs = 1; ///< of a part

    UNROLL_HOST_DEVICE float of(std::int64_t output) const { return values[output / outputs]; }
};

/// The scale of a part whose `count` weights have this sum of |w|. Not finite where that is not.
UNROLL_HOST_DEVICE inline float scaleOfSum(double sum, std::int64_t count)
{
    const double mean = sum / static_cast<double>(count);
    return static_cast<float>(mean < kTernaryFloor ? kTernaryFloor : mean);
}

/// Rows [begin, end) of a matrix.
struct RowRange {
    std::int64_t begin = 0, end = 0;
};

/// n = x gain / sqrt(mean(x^2) + epsilon), codes = round(n / step) with step = max(max |n|, 1e-5) / 127 of the row. A
/// row with a number that is not finite has a step of NaN. The norm is a factor of the whole row, so that a single pass
/// finds its rms and its largest |x gain|.
struct RowQuantisation {
    const float* x = nullptr;    ///< (rows, in)
    const float* gain = nullptr; ///< (in)
    std::int64_t in = 0;
    double epsilon = 0;
    std::int8_t* codes = nullptr; ///< (rows, in)
    float* step = nullptr;        ///< (rows)
    float* inverseRms = nullptr;  ///< (rows)
};

UNROLL_HOST_DEVICE inline float inverseRmsOf(float squares, std::int64_t in, double epsilon)
{
    return static_cast<float>(1 / ::sqrt(static_cast<double>(squares) / static_cast<double>(in) + epsilon));
}

/// A small float that is added to this is rounded to an integer, half to even, whose low byte is that of the sum's
/// bits.
constexpr float kIntoLowByte = 12582912; // 1.5 * 2^23

/// From the largest |n| of a row, which need not be finite.
struct RowStep {
    UNROLL_HOST_DEVICE explicit RowStep(float found)
    {
        constexpr auto floor = static_cast<float>(kTernaryFloor);
        const float largest = found < floor ? floor : found;
        codesOfOne = kLargestCode / largest;
        step = largest / kLargestCode + 0 * largest; // NaN where the largest is not finite
    }

    float codesOfOne, step;
};

/// From the gradient of n to those of x and, share by share, of gain.
struct NormGradient {
    const float* gradN = nullptr; ///< (rows, in)
    const float* x = nullptr;
    const float* inverseRms = nullptr;
    const float* gain = nullptr;
    std::int64_t in = 0;
    float* gradX = nullptr;      ///< (rows, in)
    float* gainShares = nullptr; ///< (ceil(rows / kGainRows), in): of so many rows each
};

/// Scales of a weight: of `parts` equal parts of its rows.
struct WeightScales {
    const float* weight = nullptr; ///< (out, in)
    PackedShape shape;
    std::int64_t parts = 1;
    double* rowSums = nullptr; ///< (out), written: sum of |w|
    float* scale = nullptr;    ///< (parts), written
};

struct WeightPacking {
    const float* weight = nullptr; ///< (out, in)
    OutputScales scale;
    PackedShape shape;
    std::uint8_t* packed = nullptr;
};

/// The other way round: effective = scale q.
struct WeightUnpacking {
    const std::uint8_t* packed = nullptr;
    OutputScales scale;
    PackedShape shape;
    float* effective = nullptr; ///< (out, in)
};

/// Some packed panels, wherever each lies.
struct PackedPanels {
    const std::uint8_t* const* panel = nullptr;
    std::int64_t count = 0, groups = 0;
};

/// y = codes q^T step scale + bias
struct TernaryProduct {
    const std::int8_t* codes = nullptr; ///< (rows, in)
    const float* step = nullptr;        ///< (rows)
    const std::uint8_t* packed = nullptr;
    OutputScales scale;
    const float* bias = nullptr; ///< (out), or absent: zeros
    PackedShape shape;
    float* y = nullptr; ///< (rows, out)
};

} // namespace unroll::kernels
