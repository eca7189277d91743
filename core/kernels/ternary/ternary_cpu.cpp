// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/ternary/ternary_cpu.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/ternary/ternary_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

using Floats = hn::ScalableTag<float>;
using Codes = hn::Rebind<std::int8_t, Floats>; // as many of them
using BitCodes = hn::Rebind<std::uint8_t, Floats>;
using Words = hn::Rebind<std::int32_t, Floats>;

constexpr auto kFloor = static_cast<float>(kTernaryFloor);

HWY_INLINE float sumOf(hn::Vec<Floats> v)
{
    return hn::GetLane(hn::SumOfLanes(Floats(), v));
}

template <class Bytes>
HWY_INLINE void storeBytes(FullLanes, Bytes d, hn::Vec<Bytes> bytes, hn::TFromD<Bytes>* to)
{
    hn::StoreU(bytes, d, to);
}

template <class Bytes>
HWY_INLINE void storeBytes(LastLanes last, Bytes d, hn::Vec<Bytes> bytes, hn::TFromD<Bytes>* to)
{
    HWY_ALIGN hn::TFromD<Bytes> lanes[HWY_MAX_BYTES];
    hn::StoreU(bytes, d, lanes);
    std::memcpy(to, lanes, last.count);
}

HWY_INLINE float sumOfSquares(const float* x, std::int64_t count)
{
    const Floats d;
    auto sum = hn::Zero(d);
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto v = lanes.load(d, x + j);
        sum = hn::MulAdd(v, v, sum);
    });
    return sumOf(sum);
}

/// max |n|; NaN where an n is not finite, which a maximum alone would hide.
HWY_INLINE float largestOf(const float* x, const float* gain, float inverseRms, std::int64_t count)
{
    const Floats d;
    const auto r = hn::Set(d, inverseRms);
    auto largest = hn::Zero(d), strange = hn::Zero(d);
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto n = hn::Mul(hn::Mul(lanes.load(d, x + j), r), lanes.load(d, gain + j));
        largest = hn::Max(largest, hn::Abs(n));
        strange = hn::MulAdd(n, hn::Zero(d), strange); // 0, or NaN for good
    });
    return hn::GetLane(hn::MaxOfLanes(d, largest)) + sumOf(strange);
}

void quantiseRows(const RowQuantisation& p, RowRange rows)
{
    const Floats d;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const float* x = p.x + row * p.in;
        std::int8_t* codes = p.codes + row * p.in;
        const double meanSquare = static_cast<double>(sumOfSquares(x, p.in)) / static_cast<double>(p.in);
        const auto inverseRms = static_cast<float>(1 / std::sqrt(meanSquare + p.epsilon));
        const float found = largestOf(x, p.gain, inverseRms, p.in);
        const float largest = found < kFloor ? kFloor : found;
        const auto r = hn::Set(d, inverseRms), s = hn::Set(d, kLargestCode / largest);
        forLanes(d, p.in, [&](auto lanes, std::int64_t j) HWY_ATTR {
            const auto n = hn::Mul(hn::Mul(lanes.load(d, x + j), r), lanes.load(d, p.gain + j));
            storeBytes(lanes, Codes(), hn::DemoteTo(Codes(), hn::NearestInt(hn::Mul(n, s))), codes + j);
        });
        p.step[row] = largest / kLargestCode;
        p.inverseRms[row] = inverseRms;
    }
}

/// sum of gradN gain xhat; gainSums += gradN xhat, with xhat = x / rms.
HWY_INLINE float alongRow(const NormGradient& p, std::int64_t row, float* gainSums)
{
    const Floats d;
    const auto r = hn::Set(d, p.inverseRms[row]);
    auto along = hn::Zero(d);
    forLanes(d, p.in, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto normed = hn::Mul(lanes.load(d, p.x + row * p.in + j), r);
        const auto weighted = hn::Mul(lanes.load(d, p.gradN + row * p.in + j), normed);
        along = hn::MulAdd(weighted, lanes.load(d, p.gain + j), along);
        lanes.store(d, hn::Add(lanes.load(d, gainSums + j), weighted), gainSums + j);
    });
    return sumOf(along);
}

void normBackward(const NormGradient& p, RowRange rows, float* gainSums)
{
    const Floats d;
    zeroRow(gainSums, p.in);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const std::int64_t begin = row * p.in;
        const auto mean = hn::Set(d, alongRow(p, row, gainSums) / static_cast<float>(p.in));
        const auto r = hn::Set(d, p.inverseRms[row]);
        forLanes(d, p.in, [&](auto lanes, std::int64_t j) HWY_ATTR {
            const auto normed = hn::Mul(lanes.load(d, p.x + begin + j), r);
            const auto g = hn::Mul(lanes.load(d, p.gradN + begin + j), lanes.load(d, p.gain + j));
            lanes.store(d, hn::Mul(hn::NegMulAdd(normed, mean, g), r), p.gradX + begin + j);
        });
    }
}

void absoluteSums(const float* weight, std::int64_t in, RowRange rows, double* sums)
{
    const Floats d;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        auto sum = hn::Zero(d);
        forLanes(d, in, [&](auto lanes, std::int64_t j) HWY_ATTR {
            sum = hn::Add(sum, hn::Abs(lanes.load(d, weight + row * in + j)));
        });
        sums[row] = sumOf(sum);
    }
}

/// A buffer of whole groups, so that rows are gone through in pieces.
constexpr std::int64_t kPiece = 16 * kGroupInputs;

/// 0, 1, 2 for each weight. |w / scale| is rounded half to even, so that a half is 0.
HWY_INLINE void codesOf(const float* weight, float scale, std::int64_t count, std::uint8_t* codes)
{
    const Floats d;
    const auto divisor = hn::Set(d, scale), half = hn::Set(d, 0.5f);
    const auto one = hn::Set(d, 1.0f), zero = hn::Zero(d);
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto w = hn::Div(lanes.load(d, weight + j), divisor);
        const auto positive = hn::IfThenElse(hn::Gt(w, half), one, zero);
        const auto negative = hn::IfThenElse(hn::Lt(w, hn::Neg(half)), one, zero);
        const auto code = hn::ConvertTo(Words(), hn::Add(one, hn::Sub(positive, negative)));
        storeBytes(lanes, BitCodes(), hn::DemoteTo(BitCodes(), code), codes + j);
    });
}

void packRow(const WeightPacking& p, std::int64_t row)
{
    std::uint8_t* line = p.packed + row / kPanelOutputs * p.shape.panelBytes() + row % kPanelOutputs * 4;
    for (std::int64_t begin = 0; begin < p.shape.in; begin += kPiece) {
        const std::int64_t count = std::min(kPiece, p.shape.in - begin);
        std::uint8_t codes[kPiece];
        std::memset(codes, 1, sizeof codes);
        codesOf(p.weight + row * p.shape.in + begin, p.scale.of(row), count, codes);
        for (std::int64_t from = 0; from < count; from += kGroupInputs, line += kPanelBytes) {
            std::uint32_t four[4];
            std::memcpy(four, codes + from, sizeof four);
            const std::uint32_t word = four[0] | four[1] << 2 | four[2] << 4 | four[3] << 6;
            std::memcpy(line, &word, sizeof word);
        }
    }
}

void packPanels(const WeightPacking& p, RowRange panels)
{
    constexpr int zeros = 0x55; // four codes of 0
    for (std::int64_t panel = panels.begin; panel < panels.end; ++panel) {
        const std::int64_t first = panel * kPanelOutputs;
        if (first + kPanelOutputs > p.shape.out)
            std::memset(p.packed + panel * p.shape.panelBytes(), zeros, static_cast<std::size_t>(p.shape.panelBytes()));
        for (std::int64_t row = first; row < std::min(first + kPanelOutputs, p.shape.out); ++row)
            packRow(p, row);
    }
}

/// to[j] = (codes[j] - 1) * scale
HWY_INLINE void widen(const std::uint8_t* codes, float scale, std::int64_t count, float* to)
{
    const Floats d;
    const auto factor = hn::Set(d, scale);
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto code = hn::PromoteTo(Words(), hn::LoadU(BitCodes(), codes + j));
        lanes.store(d, hn::Mul(hn::ConvertTo(d, hn::Sub(code, hn::Set(Words(), 1))), factor), to + j);
    });
}

void unpackRows(const WeightUnpacking& p, RowRange rows)
{
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const std::uint8_t* line = p.packed + row / kPanelOutputs * p.shape.panelBytes() + row % kPanelOutputs * 4;
        for (std::int64_t begin = 0; begin < p.shape.in; begin += kPiece) {
            const std::int64_t count = std::min(kPiece, p.shape.in - begin);
            std::uint8_t codes[kPiece];
            for (std::int64_t to = 0; to < count; to += kGroupInputs, line += kPanelBytes) {
                std::uint32_t word;
                std::memcpy(&word, line, sizeof word);
                const std::uint32_t three = 0x03030303;
                const std::uint32_t four[4] = {word & three, word >> 2 & three, word >> 4 & three, word >> 6 & three};
                std::memcpy(codes + to, four, sizeof four);
            }
            widen(codes, p.scale.of(row), count, p.effective + row * p.shape.in + begin);
        }
    }
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(quantiseRows);
HWY_EXPORT(normBackward);
HWY_EXPORT(absoluteSums);
HWY_EXPORT(packPanels);
HWY_EXPORT(unpackRows);

void quantiseRowsOnCpu(const RowQuantisation& p, RowRange rows)
{
    HWY_DYNAMIC_DISPATCH(quantiseRows)(p, rows);
}

void normBackwardOnCpu(const NormGradient& p, RowRange rows, float* gainSums)
{
    HWY_DYNAMIC_DISPATCH(normBackward)(p, rows, gainSums);
}

void absoluteSumsOnCpu(const float* weight, std::int64_t in, RowRange rows, double* sums)
{
    HWY_DYNAMIC_DISPATCH(absoluteSums)(weight, in, rows, sums);
}

void packPanelsOnCpu(const WeightPacking& p, RowRange panels)
{
    HWY_DYNAMIC_DISPATCH(packPanels)(p, panels);
}

void unpackRowsOnCpu(const WeightUnpacking& p, RowRange rows)
{
    HWY_DYNAMIC_DISPATCH(unpackRows)(p, rows);
}

} // namespace unroll::kernels
#endif
