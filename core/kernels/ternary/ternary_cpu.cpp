// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/ternary/ternary_cpu.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/ternary/ternary_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cpu/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

using Floats = hn::ScalableTag<float>;
using Codes = hn::Rebind<std::int8_t, Floats>; // as many of them
using BitCodes = hn::Rebind<std::uint8_t, Floats>;
using Words = hn::Rebind<std::int32_t, Floats>;
using BitWords = hn::Rebind<std::uint32_t, Floats>;

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

/// What one pass over a row finds.
struct RowFacts {
    float squares; ///< sum of x^2
    float largest; ///< of |x gain|; not finite where one is not
};

/// Side by side, since each addition to a sum waits for the one before. Without their signs the bits of numbers are in
/// the numbers' order, and NaN is above them all.
class RowFinder {
public:
    HWY_INLINE RowFinder() : m_squares(hn::Zero(Floats())), m_largest(hn::Zero(Words())) {}

    HWY_INLINE void take(hn::Vec<Floats> x, hn::Vec<Floats> gain)
    {
        m_squares = hn::MulAdd(x, x, m_squares);
        m_largest = hn::Max(m_largest, hn::BitCast(Words(), hn::Abs(hn::Mul(x, gain))));
    }

    HWY_INLINE void join(const RowFinder& other)
    {
        m_squares = hn::Add(m_squares, other.m_squares);
        m_largest = hn::Max(m_largest, other.m_largest);
    }

    HWY_INLINE RowFacts facts() const
    {
        return {sumOf(m_squares), hn::GetLane(hn::BitCast(Floats(), hn::MaxOfLanes(Words(), m_largest)))};
    }

private:
    hn::Vec<Floats> m_squares;
    hn::Vec<Words> m_largest;
};

HWY_INLINE RowFacts factsOf(const RowQuantisation& p, std::int64_t row)
{
    const Floats d;
    const float* x = p.x + row * p.in;
    const auto lanesOf = static_cast<std::int64_t>(hn::Lanes(d));
    RowFinder first, second, third, fourth;
    std::int64_t k = 0;
    for (; k + 4 * lanesOf <= p.in; k += 4 * lanesOf) {
        first.take(hn::LoadU(d, x + k), hn::LoadU(d, p.gain + k));
        second.take(hn::LoadU(d, x + k + lanesOf), hn::LoadU(d, p.gain + k + lanesOf));
        third.take(hn::LoadU(d, x + k + 2 * lanesOf), hn::LoadU(d, p.gain + k + 2 * lanesOf));
        fourth.take(hn::LoadU(d, x + k + 3 * lanesOf), hn::LoadU(d, p.gain + k + 3 * lanesOf));
    }
    forLanes(d, p.in - k, [&](auto lanes, std::int64_t j) HWY_ATTR {
        first.take(lanes.load(d, x + k + j), lanes.load(d, p.gain + k + j));
    });
    first.join(second);
    third.join(fourth);
    first.join(third);
    return first.facts();
}

/// codes = round(x gain factor)
HWY_INLINE void roundRow(const RowQuantisation& p, std::int64_t row, float factor)
{
    const Floats d;
    const auto scale = hn::Set(d, factor), shift = hn::Set(d, kIntoLowByte);
    forLanes(d, p.in, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto n = hn::Mul(lanes.load(d, p.x + row * p.in + j), lanes.load(d, p.gain + j));
        const auto code = hn::TruncateTo(BitCodes(), hn::BitCast(BitWords(), hn::MulAdd(n, scale, shift)));
        storeBytes(lanes, Codes(), hn::BitCast(Codes(), code), p.codes + row * p.in + j);
    });
}

/// Some rows at a time, small enough for a core's first cache: what ends one row's pass, a sum over lanes, a root, a
/// quotient, is then done while the next row goes on.
constexpr std::int64_t kRowsTogether = 8;

void quantiseRows(const RowQuantisation& p, RowRange rows)
{
    for (std::int64_t begin = rows.begin; begin < rows.end; begin += kRowsTogether) {
        const std::int64_t end = std::min(begin + kRowsTogether, rows.end);
        float factor[kRowsTogether];
        for (std::int64_t row = begin; row < end; ++row) {
            const RowFacts facts = factsOf(p, row);
            const float inverseRms = inverseRmsOf(facts.squares, p.in, p.epsilon);
            const RowStep step(facts.largest * inverseRms);
            factor[row - begin] = inverseRms * step.codesOfOne;
            p.inverseRms[row] = inverseRms;
            p.step[row] = step.step;
        }
        for (std::int64_t row = begin; row < end; ++row)
            roundRow(p, row, factor[row - begin]);
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

constexpr std::uint32_t kCodeBits = 0x03030303; ///< of the four codes that a shifted word has

/// A buffer of whole groups, so that rows are gone through in pieces.
constexpr std::int64_t kPiece = 16 * kGroupInputs;

/// 0, 1, 2 for each weight. |w / scale| is rounded half to even, so that a half is 0; and the quotient is above a half
/// exactly where w is above half the scale, which has no rounding.
HWY_INLINE void codesOf(const float* weight, float scale, std::int64_t count, std::uint8_t* codes)
{
    const Floats d;
    const auto half = hn::Set(d, 0.5f * scale);
    const auto one = hn::Set(d, 1.0f), zero = hn::Zero(d);
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto w = lanes.load(d, weight + j);
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

/// One quarter of a line's groups.
HWY_INLINE void spreadQuarter(const std::uint32_t (&words)[kPanelOutputs], int quarter, std::uint8_t* to)
{
    std::uint32_t codes[kPanelOutputs];
    for (int o = 0; o < kPanelOutputs; ++o)
        codes[o] = words[o] >> 2 * quarter & kCodeBits;
    std::memcpy(to, codes, sizeof codes);
}

void spreadPanels(const PackedPanels& p, std::uint8_t* to)
{
    const std::int64_t lines = p.count * kPanelBytes;
    for (std::int64_t g = 0; g < p.groups; ++g, to += 4 * lines)
        for (std::int64_t i = 0; i < p.count; ++i) {
            std::uint32_t words[kPanelOutputs];
            std::memcpy(words, p.panel[i] + g * kPanelBytes, sizeof words);
            for (int quarter = 0; quarter < 4; ++quarter)
                spreadQuarter(words, quarter, to + i * kPanelBytes + quarter * lines);
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
                const std::uint32_t four[4] = {word & kCodeBits, word >> 2 & kCodeBits, word >> 4 & kCodeBits,
                                               word >> 6 & kCodeBits};
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
HWY_EXPORT(spreadPanels);
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

void spreadPanelsOnCpu(const PackedPanels& p, std::uint8_t* to)
{
    HWY_DYNAMIC_DISPATCH(spreadPanels)(p, to);
}

void unpackRowsOnCpu(const WeightUnpacking& p, RowRange rows)
{
    HWY_DYNAMIC_DISPATCH(unpackRows)(p, rows);
}

} // namespace unroll::kernels
#endif
