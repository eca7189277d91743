// SPDX-License-Identifier: GPL-3.0-or-later
// How the blocks of a GPU make the ternary product: exact in integers, four inputs at a time (dp4a), then scaled.
// ternary.cu launches them, and tests run the same on the CPU; between any two phases of a block's threads is a
// barrier.
#pragma once

#include "core/kernels/ternary/ternary_block.h"

#include <cstring>
#include <type_traits>

namespace unroll::kernels {

inline constexpr int kProductThreads = 256;

/// sum + the products of four signed bytes with four others
UNROLL_HOST_DEVICE inline std::int32_t addDotOfFour(std::int32_t sum, std::int32_t a, std::int32_t b)
{
#ifdef __CUDA_ARCH__
    return __dp4a(a, b, sum);
#else
    for (int shift = 0; shift < 32; shift += 8)
        sum += static_cast<std::int8_t>(a >> shift) * static_cast<std::int8_t>(b >> shift);
    return sum;
#endif
}

/// The weights -1, 0, 1 of inputs 4 i to 4 i + 3 of a word, in signed bytes: one is taken off each byte, none borrows
/// from the next.
UNROLL_HOST_DEVICE inline std::int32_t fourWeights(std::uint32_t word, int i)
{
    constexpr std::uint32_t ones = 0x01010101, tops = 0x80808080;
    const std::uint32_t codes = word >> 2 * i & 3 * ones;
    return static_cast<std::int32_t>(((codes | tops) - ones) ^ tops);
}

/// Codes of inputs [begin, begin + 4) of a row, zeros beyond its end.
UNROLL_HOST_DEVICE inline std::int32_t fourCodes(const TernaryProduct& p, std::int64_t row, std::int64_t begin)
{
    const std::int8_t* from = p.codes + row * p.shape.in + begin;
    std::int32_t four = 0;
    if (begin + 4 <= p.shape.in && reinterpret_cast<std::uintptr_t>(from) % sizeof four == 0)
        std::memcpy(&four, __builtin_assume_aligned(from, sizeof four), sizeof four);
    else
        for (int i = 0; i < 4 && begin + i < p.shape.in; ++i)
            four |= static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint8_t>(from[i])) << 8 * i);
    return four;
}

/// The inputs of a group, four in a number: codes of a row, or weights.
struct alignas(16) GroupInputs {
    std::int32_t four[kGroupInputs / 4];
};

/// From where it lies aligned, in one read.
UNROLL_HOST_DEVICE inline GroupInputs groupAt(const void* from)
{
    GroupInputs inputs;
    std::memcpy(&inputs, __builtin_assume_aligned(from, sizeof inputs), sizeof inputs);
    return inputs;
}

UNROLL_HOST_DEVICE inline GroupInputs groupWeights(std::uint32_t word)
{
    return {{fourWeights(word, 0), fourWeights(word, 1), fourWeights(word, 2), fourWeights(word, 3)}};
}

UNROLL_HOST_DEVICE inline GroupInputs groupCodes(const TernaryProduct& p, std::int64_t row, std::int64_t group)
{
    const std::int64_t begin = group * kGroupInputs;
    const std::int8_t* from = p.codes + row * p.shape.in + begin;
    if (begin + kGroupInputs <= p.shape.in && reinterpret_cast<std::uintptr_t>(from) % sizeof(GroupInputs) == 0)
        return groupAt(from);
    GroupInputs codes;
    for (int i = 0; i < 4; ++i)
        codes.four[i] = fourCodes(p, row, begin + 4 * i);
    return codes;
}

UNROLL_HOST_DEVICE inline std::int32_t addDotOfGroup(std::int32_t sum, const GroupInputs& a, const GroupInputs& b)
{
    UNROLL_ALL_TURNS
    for (int i = 0; i < 4; ++i)
        sum = addDotOfFour(sum, a.four[i], b.four[i]);
    return sum;
}

UNROLL_HOST_DEVICE inline void storeProduct(const TernaryProduct& p, std::int64_t row, std::int64_t output,
                                            std::int32_t exact)
{
    const float bias = p.bias != nullptr ? p.bias[output] : 0.0f;
    p.y[row * p.shape.out + output] = static_cast<float>(exact) * (p.step[row] * p.scale.of(output)) + bias;
}

/// A few rows by the 16 outputs of a panel: what is read is the weight, so the block's threads share out its groups,
/// and read them as they lie.
template <int kRows>
class FewRowsThread {
public:
    static constexpr int phases = 2;
    static constexpr int slots = kProductThreads / static_cast<int>(kPanelOutputs);
    struct Shared {
        std::int32_t sums[kRows][slots][kPanelOutputs];
    };

    static std::int64_t blocks(const PackedShape& shape, std::int64_t allRows)
    {
        return (allRows + kRows - 1) / kRows * shape.panels();
    }

    UNROLL_HOST_DEVICE FewRowsThread(const TernaryProduct& p, std::int64_t allRows, std::int64_t block, int thread)
        : m_p(p),
          m_row(block / p.shape.panels() * kRows),
          m_panel(block % p.shape.panels()),
          m_rows(allRows - m_row < kRows ? static_cast<int>(allRows - m_row) : kRows),
          m_slot(thread / static_cast<int>(kPanelOutputs)),
          m_output(thread % static_cast<int>(kPanelOutputs))
    {}

    UNROLL_HOST_DEVICE void run(int phase, Shared& shared) const { phase == 0 ? multiply(shared) : join(shared); }

private:
    UNROLL_HOST_DEVICE void multiply(Shared& shared) const
    {
        const auto* words = reinterpret_cast<const std::uint32_t*>(m_p.packed + m_panel * m_p.shape.panelBytes());
        std::int32_t sums[kRows] = {};
        for (std::int64_t group = m_slot; group < m_p.shape.groups(); group += slots) {
            const GroupInputs weights = groupWeights(words[group * kPanelOutputs + m_output]);
            UNROLL_ALL_TURNS
            for (int r = 0; r < kRows; ++r) // a row that is not there repeats the last one, and is not stored
                sums[r] =
                    addDotOfGroup(sums[r], weights, groupCodes(m_p, m_row + (r < m_rows ? r : m_rows - 1), group));
        }
        UNROLL_ALL_TURNS
        for (int r = 0; r < kRows; ++r)
            shared.sums[r][m_slot][m_output] = sums[r];
    }

    /// Slot r stores row r.
    UNROLL_HOST_DEVICE void join(const Shared& shared) const
    {
        const std::int64_t output = m_panel * kPanelOutputs + m_output;
        if (m_slot >= m_rows || output >= m_p.shape.out)
            return;
        std::int32_t sum = 0;
        for (const auto& slot : shared.sums[m_slot])
            sum += slot[m_output];
        storeProduct(m_p, m_row + m_slot, output, sum);
    }

    const TernaryProduct& m_p;
    std::int64_t m_row, m_panel;
    int m_rows, m_slot, m_output;
};

/// A tile of 64 rows by 64 outputs: a thread has one output and 16 of the rows. Some inputs of all rows at a time are
/// staged in shared memory, where a warp's threads read the same one.
class TileThread {
public:
    static constexpr int tileRows = 64;
    static constexpr int tileOutputs = 64;
    static constexpr int threadRows = tileRows * tileOutputs / kProductThreads;
    static constexpr int stagedGroups = 4;
    struct Shared {
        GroupInputs codes[tileRows][stagedGroups];
    };

    static std::int64_t blocks(const PackedShape& shape, std::int64_t allRows)
    {
        return (allRows + tileRows - 1) / tileRows * tilesAcross(shape);
    }

    UNROLL_HOST_DEVICE TileThread(const TernaryProduct& p, std::int64_t allRows, std::int64_t block, int thread)
        : m_p(p),
          m_allRows(allRows),
          m_row(block / tilesAcross(p.shape) * tileRows),
          m_output(block % tilesAcross(p.shape) * tileOutputs + thread % tileOutputs),
          m_thread(thread),
          m_first(thread / tileOutputs * threadRows)
    {}

    /// stage(i) and multiply(i) of stage 0, 1 .. stages() - 1, then store().
    UNROLL_HOST_DEVICE std::int64_t stages() const { return (m_p.shape.groups() + stagedGroups - 1) / stagedGroups; }

    UNROLL_HOST_DEVICE void stage(std::int64_t stage, Shared& shared) const
    {
        for (int i = m_thread; i < tileRows * stagedGroups * 4; i += kProductThreads) {
            const int row = i / 4 / stagedGroups, group = i / 4 % stagedGroups;
            const std::int64_t begin = (stage * stagedGroups + group) * kGroupInputs + i % 4 * 4;
            shared.codes[row][group].four[i % 4] = m_row + row < m_allRows ? fourCodes(m_p, m_row + row, begin) : 0;
        }
    }

    UNROLL_HOST_DEVICE void multiply(std::int64_t stage, const Shared& shared)
    {
        if (m_output >= m_p.shape.panels() * kPanelOutputs)
            return;
        std::uint32_t words[stagedGroups];
        UNROLL_ALL_TURNS
        for (int g = 0; g < stagedGroups; ++g)
            words[g] = wordAt(stage * stagedGroups + g);
        UNROLL_ALL_TURNS
        for (int g = 0; g < stagedGroups; ++g) {
            const GroupInputs weights = groupWeights(words[g]);
            UNROLL_ALL_TURNS
            for (int r = 0; r < threadRows; ++r)
                m_sums[r] = addDotOfGroup(m_sums[r], weights, groupAt(&shared.codes[m_first + r][g]));
        }
    }

    UNROLL_HOST_DEVICE void store() const
    {
        UNROLL_ALL_TURNS
        for (int r = 0; r < threadRows; ++r)
            if (m_row + m_first + r < m_allRows && m_output < m_p.shape.out)
                storeProduct(m_p, m_row + m_first + r, m_output, m_sums[r]);
    }

private:
    UNROLL_HOST_DEVICE static std::int64_t tilesAcross(const PackedShape& shape)
    {
        return (shape.out + tileOutputs - 1) / tileOutputs;
    }

    /// Behind the last group nothing is multiplied: its staged codes are zeros.
    UNROLL_HOST_DEVICE std::uint32_t wordAt(std::int64_t group) const
    {
        const auto* words = reinterpret_cast<const std::uint32_t*>(m_p.packed);
        return group < m_p.shape.groups() ? words[wordOf(m_p.shape, m_output, group)] : 0;
    }

    const TernaryProduct& m_p;
    std::int64_t m_allRows, m_row, m_output;
    int m_thread, m_first;
    std::int32_t m_sums[threadRows] = {};
};

/// Rows up to which a product goes by FewRowsThread: its weight is read again for every few of them. Reasoned, not
/// measured.
inline constexpr std::int64_t kFewRows = 32;

/// Calls run(std::type_identity<Thread>()) with the threads that suit so many rows.
template <class Run>
auto withProductThread(std::int64_t rows, const Run& run)
{
    if (rows <= 1)
        return run(std::type_identity<FewRowsThread<1>>());
    if (rows <= 2)
        return run(std::type_identity<FewRowsThread<2>>());
    if (rows <= 4)
        return run(std::type_identity<FewRowsThread<4>>());
    if (rows <= kFewRows)
        return run(std::type_identity<FewRowsThread<8>>());
    return run(std::type_identity<TileThread>());
}

} // namespace unroll::kernels
