// SPDX-License-Identifier: GPL-3.0-or-later
// What the threads of a GPU do for the ternary layer; ternary.cu launches them, and tests run the same on the CPU.
//
// A warp takes a row, or a part of the weight: its 32 lanes go through their phases with a barrier between any two, and
// what they found is joined in the order of the lanes, so the same bits come out every time. What depends on no sum is
// a function of an index.
#pragma once

#include "core/kernels/ternary/ternary_params.h"

#include <cmath>

namespace unroll::kernels {

inline constexpr int kWarpLanes = 32;

/// A number from each lane of a warp.
template <typename T>
struct LaneNumbers {
    T of[kWarpLanes];

    UNROLL_HOST_DEVICE T sum() const
    {
        T total = T(0);
        for (const T number : of)
            total += number;
        return total;
    }
    UNROLL_HOST_DEVICE T largest() const
    {
        T found = of[0];
        for (const T number : of)
            found = number > found ? number : found;
        return found;
    }
};

/// Norm and rounding of a row.
class QuantisingLane {
public:
    static constexpr int phases = 2;
    struct Shared {
        LaneNumbers<float> squares, largest, strange;
    };

    UNROLL_HOST_DEVICE QuantisingLane(const RowQuantisation& p, std::int64_t row, int lane)
        : m_p(p), m_x(p.x + row * p.in), m_row(row), m_lane(lane)
    {}

    UNROLL_HOST_DEVICE void run(int phase, Shared& shared) const { phase == 0 ? find(shared) : round(shared); }

private:
    UNROLL_HOST_DEVICE void find(Shared& shared) const
    {
        float squares = 0, largest = 0, strange = 0;
        for (std::int64_t j = m_lane; j < m_p.in; j += kWarpLanes) {
            const float x = m_x[j], n = x * m_p.gain[j], size = n < 0 ? -n : n;
            squares += x * x;
            largest = size > largest ? size : largest;
            strange += n * 0; // 0, or NaN for good, which a maximum would hide
        }
        shared.squares.of[m_lane] = squares;
        shared.largest.of[m_lane] = largest;
        shared.strange.of[m_lane] = strange;
    }

    UNROLL_HOST_DEVICE void round(const Shared& shared) const
    {
        const float inverseRms = inverseRmsOf(shared.squares.sum(), m_p.in, m_p.epsilon);
        const RowStep step((shared.largest.largest() + shared.strange.sum()) * inverseRms);
        const float factor = inverseRms * step.codesOfOne;
        const bool finite = step.step == step.step;
        for (std::int64_t j = m_lane; j < m_p.in; j += kWarpLanes)
            m_p.codes[m_row * m_p.in + j] = static_cast<std::int8_t>(
                finite ? ::fmaf(m_x[j] * m_p.gain[j], factor, kIntoLowByte) - kIntoLowByte : 0.0f);
        if (m_lane == 0) {
            m_p.step[m_row] = step.step;
            m_p.inverseRms[m_row] = inverseRms;
        }
    }

    const RowQuantisation& m_p;
    const float* m_x;
    std::int64_t m_row;
    int m_lane;
};

/// The gradient of a row of x.
class NormGradientLane {
public:
    static constexpr int phases = 2;
    struct Shared {
        LaneNumbers<float> along; ///< shares of the sum of gradN gain xhat
    };

    UNROLL_HOST_DEVICE NormGradientLane(const NormGradient& p, std::int64_t row, int lane)
        : m_p(p), m_begin(row * p.in), m_lane(lane), m_inverseRms(p.inverseRms[row])
    {}

    UNROLL_HOST_DEVICE void run(int phase, Shared& shared) const { phase == 0 ? sum(shared) : write(shared); }

private:
    UNROLL_HOST_DEVICE void sum(Shared& shared) const
    {
        float along = 0;
        for (std::int64_t j = m_lane; j < m_p.in; j += kWarpLanes)
            along += m_p.gradN[m_begin + j] * (m_p.x[m_begin + j] * m_inverseRms) * m_p.gain[j];
        shared.along.of[m_lane] = along;
    }

    UNROLL_HOST_DEVICE void write(const Shared& shared) const
    {
        const float mean = shared.along.sum() / static_cast<float>(m_p.in);
        for (std::int64_t j = m_lane; j < m_p.in; j += kWarpLanes) {
            const float xhat = m_p.x[m_begin + j] * m_inverseRms;
            // Rounded as on the CPU; left to itself nvcc fuses the other product, and where both cancel nothing agrees.
            m_p.gradX[m_begin + j] = ::fmaf(-xhat, mean, m_p.gradN[m_begin + j] * m_p.gain[j]) * m_inverseRms;
        }
    }

    const NormGradient& m_p;
    std::int64_t m_begin;
    int m_lane;
    float m_inverseRms;
};

/// One input's share of the gradient of gain: index = share * in + input. Rows are added in their order.
UNROLL_HOST_DEVICE inline void sumGainShare(const NormGradient& p, std::int64_t rows, std::int64_t index)
{
    const std::int64_t first = index / p.in * kGainRows, j = index % p.in;
    const std::int64_t end = first + kGainRows < rows ? first + kGainRows : rows;
    float sum = 0;
    for (std::int64_t row = first; row < end; ++row)
        sum += p.gradN[row * p.in + j] * (p.x[row * p.in + j] * p.inverseRms[row]);
    p.gainShares[index] = sum;
}

/// A sum that a warp shares: every lane adds the terms that fall to it, the first one gives the whole to where it
/// belongs.
template <class Terms>
class SumLane {
public:
    static constexpr int phases = 2;
    struct Shared {
        LaneNumbers<typename Terms::Number> sums;
    };

    UNROLL_HOST_DEVICE SumLane(const WeightScales& p, std::int64_t row, int lane) : m_terms{p, row}, m_lane(lane) {}

    UNROLL_HOST_DEVICE void run(int phase, Shared& shared) const
    {
        if (phase == 1) {
            if (m_lane == 0)
                m_terms.give(shared.sums.sum());
            return;
        }
        typename Terms::Number sum = 0;
        for (std::int64_t j = m_lane; j < m_terms.count(); j += kWarpLanes)
            sum += m_terms.term(j);
        shared.sums.of[m_lane] = sum;
    }

private:
    Terms m_terms;
    int m_lane;
};

/// |w| of a row of the weight.
struct AbsoluteRow {
    using Number = float;
    const WeightScales& p;
    std::int64_t row;

    UNROLL_HOST_DEVICE std::int64_t count() const { return p.shape.in; }
    UNROLL_HOST_DEVICE float term(std::int64_t j) const { return ::fabsf(p.weight[row * p.shape.in + j]); }
    UNROLL_HOST_DEVICE void give(float sum) const { p.rowSums[row] = static_cast<double>(sum); }
};

/// The sums of a part's rows, which make its scale.
struct RowsOfPart {
    using Number = double;
    const WeightScales& p;
    std::int64_t part;

    UNROLL_HOST_DEVICE std::int64_t count() const { return p.shape.out / p.parts; }
    UNROLL_HOST_DEVICE double term(std::int64_t j) const { return p.rowSums[part * count() + j]; }
    UNROLL_HOST_DEVICE void give(double sum) const { p.scale[part] = scaleOfSum(sum, count() * p.shape.in); }
};

using AbsoluteSumLane = SumLane<AbsoluteRow>;
using ScaleLane = SumLane<RowsOfPart>;

/// Where the code of an input stands in the word of its group.
UNROLL_HOST_DEVICE inline int bitsBefore(std::int64_t input)
{
    const auto within = static_cast<int>(input % kGroupInputs);
    return 8 * (within % 4) + 2 * (within / 4);
}

/// The words of a packed weight, and which of them holds a group of an output.
UNROLL_HOST_DEVICE inline std::int64_t wordOf(const PackedShape& shape, std::int64_t output, std::int64_t group)
{
    return (output / kPanelOutputs * shape.groups() + group) * kPanelOutputs + output % kPanelOutputs;
}
UNROLL_HOST_DEVICE inline std::int64_t wordCount(const PackedShape& shape)
{
    return shape.panels() * shape.groups() * kPanelOutputs;
}

/// Word `index` of a packed weight. |w / scale| is rounded half to even, so that a half is 0; the quotient is above a
/// half exactly where w is above half the scale, which has no rounding. What is not finite is 0 too, beside a scale
/// that is not.
UNROLL_HOST_DEVICE inline void packWord(const WeightPacking& p, std::int64_t index)
{
    const std::int64_t group = index / kPanelOutputs % p.shape.groups();
    const std::int64_t output = index / kPanelOutputs / p.shape.groups() * kPanelOutputs + index % kPanelOutputs;
    std::uint32_t word = 0;
    for (std::int64_t input = group * kGroupInputs; input < (group + 1) * kGroupInputs; ++input) {
        std::uint32_t code = 1;
        if (output < p.shape.out && input < p.shape.in) {
            const float w = p.weight[output * p.shape.in + input], half = 0.5f * p.scale.of(output);
            code = w > half ? 2 : w < -half ? 0 : 1;
        }
        word |= code << bitsBefore(input);
    }
    reinterpret_cast<std::uint32_t*>(p.packed)[index] = word;
}

/// Weight `index` of (out, in).
UNROLL_HOST_DEVICE inline void unpackWeight(const WeightUnpacking& p, std::int64_t index)
{
    const std::int64_t output = index / p.shape.in, input = index % p.shape.in;
    const auto* words = reinterpret_cast<const std::uint32_t*>(p.packed);
    const std::uint32_t word = words[wordOf(p.shape, output, input / kGroupInputs)];
    const int q = static_cast<int>(word >> bitsBefore(input) & 3) - 1;
    p.effective[index] = static_cast<float>(q) * p.scale.of(output);
}

} // namespace unroll::kernels
