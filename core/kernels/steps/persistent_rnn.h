// SPDX-License-Identifier: GPL-3.0-or-later
// All steps of a recurrence whose every step multiplies a matrix to the state, in one launch on a GPU: the matrix stays
// in shared memory from step to step (persistent RNNs: Diamos et al. 2016, ICML, "Persistent RNNs: Stashing Recurrent
// Weights On-Chip").
//
// A block has a slice of 16 units, with the part of the matrix that they read, and a group of sequences, which it takes
// tile by tile, 32 at a time. What it makes at a turn goes to memory, and every block of its group reads it at the
// next: each has a word that counts the turns it has ended, set with a release after a barrier, and waits for the words
// of all others with an acquire. All blocks are on the GPU at once (a cooperative launch), so waiting ends. There is no
// atomic sum and the order of every sum is fixed: the same bits come out every time.
//
// A tile's product (32, depth) x (depth, 16) goes through the depth in pieces of 128: the block reads a piece of the
// rows into shared memory, the next one on its way to registers meanwhile; its 8 warps share out the depth, a lane has
// 4 sequences by 4 units; the warps' sums are added up in their order. walkPersistent() is the whole, with a barrier
// after each part; tests run it on the CPU (on_persistent.h).
//
// Pass:  Number                      float or double
//        stages                      products of a step, 1 or 2, one after the other
//        parts<stage>                numbers that a unit has in the product of a stage: gates
//        domain()                    -> const ScanDomain&
//        turns()                     how often a stage is gone through, in all
//        matrix<stage>()             -> StepMatrix
//        read<stage>(round)          -> StepState: what is multiplied before the stage's turn in this round; written in
//                                    the turn before
//        ask<stage>(round, b, j)     has what take() reads come nearer; before the wait
//        take<stage>(round, b, j, sums)   the rest of the turn for one number, whose products are `sums`; always by the
//                                         same thread
#pragma once

#include "core/kernels/steps/persistent_rnn_parts.h"

#include <cstddef>

namespace unroll::kernels {

inline constexpr int kPersistentWarps = 8;
inline constexpr int kPersistentThreads = 32 * kPersistentWarps;
inline constexpr int kPiecePitch = kPieceDepth + 4; ///< keeps rows on different banks
inline constexpr int kPersistentSums = kPersistentWarps * kPersistentSequences * kPersistentUnits;
inline constexpr int kPersistentScratch =
    kPersistentSequences * kPiecePitch; ///< numbers: of a piece, then of the warps' sums
static_assert(kPersistentScratch >= kPersistentSums);

template <class Pass, int stage>
inline constexpr int kPartsOf = Pass::template parts<stage>;

template <class Pass>
constexpr int mostParts()
{
    if constexpr (Pass::stages == 2)
        return kPartsOf<Pass, 0> > kPartsOf<Pass, 1> ? kPartsOf<Pass, 0> : kPartsOf<Pass, 1>;
    else
        return kPartsOf<Pass, 0>;
}

/// Numbers of shared memory before the matrix of a stage; at stage = stages, all that the matrices take.
template <int stage, class Pass>
UNROLL_HOST_DEVICE int numbersBefore(const Pass& pass)
{
    if constexpr (stage == 0)
        return 0;
    else
        return numbersBefore<stage - 1>(pass) +
               kPartsOf<Pass, stage - 1> * pass.template matrix<stage - 1>().paddedDepth() * kPersistentUnits;
}

/// Shared memory of a block, in bytes.
template <class Pass>
std::size_t persistentBytes(const Pass& pass)
{
    std::int64_t numbers = kPersistentScratch;
    const auto add = [&](int parts, std::int64_t depth) {
        numbers += parts * ((depth + 3) / 4 * 4) * kPersistentUnits;
    };
    add(kPartsOf<Pass, 0>, pass.template matrix<0>().depth);
    if constexpr (Pass::stages == 2)
        add(kPartsOf<Pass, 1>, pass.template matrix<1>().depth);
    return static_cast<std::size_t>(numbers) * sizeof(typename Pass::Number);
}

template <class Pass>
StepsSizes sizesForSteps(const Pass& pass)
{
    const ScanDomain& domain = pass.domain();
    return {domain.steps, domain.batch, domain.width};
}

/// One thread of a block.
template <class Pass>
class PersistentThread {
public:
    using T = typename Pass::Number;

    UNROLL_HOST_DEVICE PersistentThread(const Pass& pass, const PersistentPlan& plan, std::int64_t block, int thread,
                                        T* shared)
        : m_pass(pass),
          m_plan(plan),
          m_group(block / plan.launch.slices),
          m_slice(block % plan.launch.slices),
          m_thread(thread),
          m_warp(thread / 32),
          m_units(thread % 4 * 4),
          m_sequence(thread % 32 / 4),
          m_scratch(shared),
          m_matrices(shared + kPersistentScratch)
    {}

    /// The slice's part of a matrix.
    template <int stage>
    UNROLL_HOST_DEVICE void load() const
    {
        const StepMatrix<T> matrix = m_pass.template matrix<stage>();
        const int depth = matrix.paddedDepth(), count = kPartsOf<Pass, stage> * depth * kPersistentUnits;
        T* to = m_matrices + numbersBefore<stage>(m_pass);
        for (int i = m_thread; i < count; i += kPersistentThreads) {
            const int part = i / (depth * kPersistentUnits), k = i / kPersistentUnits % depth;
            const std::int64_t unit = firstUnit() + i % kPersistentUnits;
            const bool there = k < matrix.depth && unit < domain().width;
            to[i] =
                there ? matrix.data[part * matrix.alongParts + k * matrix.alongDepth + unit * matrix.alongUnits] : T(0);
        }
    }

    /// Waits until all blocks of the group have ended so many turns.
    UNROLL_HOST_DEVICE void await(std::int64_t turns) const
    {
        if (turns > 0)
            for (std::int64_t slice = m_thread; slice < m_plan.launch.slices; slice += kPersistentThreads)
                m_plan.words.await(m_group, slice, static_cast<std::uint32_t>(turns));
    }

    /// Reads this thread's numbers of a piece of the rows.
    UNROLL_HOST_DEVICE void fetch(const StepState<T>& state, std::int64_t depth, std::int64_t tile, int piece)
    {
        const std::int64_t k = static_cast<std::int64_t>(piece) * kPieceDepth + m_thread % kPieceDepth;
        UNROLL_ALL_TURNS
        for (int i = 0; i < fetched; ++i) {
            const std::int64_t b = tile * kPersistentSequences + fetchedRow(i);
            m_ahead[i] = k < depth && b < domain().batch ? state.data[b * state.batchStride + k] : T(0);
        }
    }

    /// What was read, where all threads see it.
    UNROLL_HOST_DEVICE void put() const
    {
        UNROLL_ALL_TURNS
        for (int i = 0; i < fetched; ++i)
            m_scratch[fetchedRow(i) * kPiecePitch + m_thread % kPieceDepth] = m_ahead[i];
    }

    template <int parts>
    UNROLL_HOST_DEVICE void clear()
    {
        UNROLL_ALL_TURNS
        for (int part = 0; part < parts; ++part)
            UNROLL_ALL_TURNS
        for (int s = 0; s < 4; ++s)
            m_sums[part][s] = Four{};
    }

    /// The warp's fours of a piece: every eighth one.
    template <int stage>
    UNROLL_HOST_DEVICE void multiply(int piece)
    {
        const int depth = m_pass.template matrix<stage>().paddedDepth(), begin = piece * kPieceDepth;
        const T* matrix = m_matrices + numbersBefore<stage>(m_pass) + m_units;
        for (int k = 4 * m_warp; k < kPieceDepth && begin + k < depth; k += 4 * kPersistentWarps) {
            Four rows[4];
            UNROLL_ALL_TURNS
            for (int s = 0; s < 4; ++s)
                rows[s] = four(m_scratch + (m_sequence + 8 * s) * kPiecePitch + k);
            UNROLL_ALL_TURNS
            for (int part = 0; part < kPartsOf<Pass, stage>; ++part)
                multiplyFour(rows, matrix + (part * depth + begin + k) * kPersistentUnits, m_sums[part]);
        }
    }

    /// The warp's sums of a part, where all threads see them.
    UNROLL_HOST_DEVICE void spread(int part) const
    {
        UNROLL_ALL_TURNS
        for (int s = 0; s < 4; ++s) {
            const int row = m_warp * kPersistentSequences + m_sequence + 8 * s;
            four(m_scratch + row * kPersistentUnits + m_units) = m_sums[part][s];
        }
    }

    /// Adds up the warps' sums of the numbers that this thread takes.
    UNROLL_HOST_DEVICE void collect(int part)
    {
        UNROLL_ALL_TURNS
        for (int i = 0; i < taken; ++i) {
            T sum = T(0);
            UNROLL_ALL_TURNS
            for (int warp = 0; warp < kPersistentWarps; ++warp)
                sum += m_scratch[warp * kPersistentSequences * kPersistentUnits + m_thread + i * kPersistentThreads];
            m_taken[i][part] = sum;
        }
    }

    /// Nothing was multiplied.
    template <int parts>
    UNROLL_HOST_DEVICE void collectZeros()
    {
        UNROLL_ALL_TURNS
        for (int i = 0; i < taken; ++i)
            UNROLL_ALL_TURNS
        for (int part = 0; part < parts; ++part)
            m_taken[i][part] = T(0);
    }

    template <int stage>
    UNROLL_HOST_DEVICE void ask(std::int64_t round, std::int64_t tile) const
    {
        forTaken(tile, [&](int, std::int64_t b, std::int64_t j) { m_pass.template ask<stage>(round, b, j); });
    }

    template <int stage>
    UNROLL_HOST_DEVICE void take(std::int64_t round, std::int64_t tile) const
    {
        forTaken(tile,
                 [&](int i, std::int64_t b, std::int64_t j) { m_pass.template take<stage>(round, b, j, m_taken[i]); });
    }

    /// One thread, after a barrier behind all that the block wrote at its turn.
    UNROLL_HOST_DEVICE void publish(std::int64_t turns) const
    {
        if (m_thread == 0)
            m_plan.words.publish(m_group, m_slice, static_cast<std::uint32_t>(turns));
    }

private:
    static constexpr int fetched = kPersistentSequences * kPieceDepth / kPersistentThreads;
    static constexpr int taken = kPersistentSequences * kPersistentUnits / kPersistentThreads;

    /// Read and written at once.
    struct alignas(16) Four {
        T of[4];
    };

    UNROLL_HOST_DEVICE static Four& four(T* at) { return *reinterpret_cast<Four*>(at); }
    UNROLL_HOST_DEVICE static const Four& four(const T* at) { return *reinterpret_cast<const Four*>(at); }

    UNROLL_HOST_DEVICE static void multiplyFour(const Four (&rows)[4], const T* matrix, Four (&sums)[4])
    {
        UNROLL_ALL_TURNS
        for (int k = 0; k < 4; ++k) {
            const Four units = four(matrix + k * kPersistentUnits);
            UNROLL_ALL_TURNS
            for (int s = 0; s < 4; ++s)
                UNROLL_ALL_TURNS
            for (int u = 0; u < 4; ++u)
                sums[s].of[u] += rows[s].of[k] * units.of[u];
        }
    }

    /// each(i, sequence, unit) for the numbers of a tile that this thread takes.
    template <class Each>
    UNROLL_HOST_DEVICE void forTaken(std::int64_t tile, const Each& each) const
    {
        UNROLL_ALL_TURNS
        for (int i = 0; i < taken; ++i) {
            const int index = m_thread + i * kPersistentThreads;
            const std::int64_t b = tile * kPersistentSequences + index / kPersistentUnits;
            const std::int64_t j = firstUnit() + index % kPersistentUnits;
            if (b < domain().batch && j < domain().width)
                each(i, b, j);
        }
    }

    UNROLL_HOST_DEVICE const ScanDomain& domain() const { return m_pass.domain(); }
    UNROLL_HOST_DEVICE std::int64_t firstUnit() const { return m_slice * kPersistentUnits; }
    UNROLL_HOST_DEVICE int fetchedRow(int i) const
    {
        return m_thread / kPieceDepth + i * (kPersistentThreads / kPieceDepth);
    }

    const Pass& m_pass;
    const PersistentPlan& m_plan;
    std::int64_t m_group, m_slice;
    int m_thread, m_warp;
    int m_units, m_sequence; ///< of a tile: the first of the lane's four units, and of its four sequences, each 8 apart
    T* m_scratch;
    T* m_matrices;
    T m_ahead[fetched];
    Four m_sums[mostParts<Pass>()][4];
    T m_taken[taken][mostParts<Pass>()];
};

// Team: the threads of block number `block`. each(f) calls f with every one of them and ends with a barrier.

/// The products of a tile's rows with a stage's matrix.
template <int stage, class Pass, class Team>
UNROLL_HOST_DEVICE void multiplyTile(const Pass& pass, Team& team, const StepState<typename Pass::Number>& state,
                                     std::int64_t tile)
{
    const std::int64_t depth = pass.template matrix<stage>().depth;
    const int pieces = pass.template matrix<stage>().pieces();
    team.each([&](auto& thread) {
        thread.template clear<kPartsOf<Pass, stage>>();
        thread.fetch(state, depth, tile, 0);
    });
    for (int piece = 0; piece < pieces; ++piece) {
        team.each([&](auto& thread) { thread.put(); });
        team.each([&](auto& thread) {
            if (piece + 1 < pieces)
                thread.fetch(state, depth, tile, piece + 1);
            thread.template multiply<stage>(piece);
        });
    }
    UNROLL_ALL_TURNS
    for (int part = 0; part < kPartsOf<Pass, stage>; ++part) {
        team.each([&](auto& thread) { thread.spread(part); });
        team.each([&](auto& thread) { thread.collect(part); });
    }
}

/// A block's turn, after all blocks of its group have ended the one before.
template <int stage, class Pass, class Team>
UNROLL_HOST_DEVICE void walkTurn(const Pass& pass, const PersistentPlan& plan, Team& team, std::int64_t turn)
{
    const std::int64_t round = turn / Pass::stages;
    const StepState<typename Pass::Number> state = pass.template read<stage>(round);
    const std::int64_t begin = team.block / plan.launch.slices * plan.launch.tiles;
    const std::int64_t all = tilesOf(pass.domain().batch);
    const std::int64_t end = begin + plan.launch.tiles < all ? begin + plan.launch.tiles : all;
    team.each([&](auto& thread) {
        for (std::int64_t tile = begin; tile < end; ++tile)
            thread.template ask<stage>(round, tile);
        thread.await(turn);
    });
    for (std::int64_t tile = begin; tile < end; ++tile) {
        if (state.data != nullptr)
            multiplyTile<stage>(pass, team, state, tile);
        else
            team.each([&](auto& thread) { thread.template collectZeros<kPartsOf<Pass, stage>>(); });
        team.each([&](auto& thread) { thread.template take<stage>(round, tile); });
    }
    team.each([&](auto& thread) { thread.publish(turn + 1); });
}

template <class Pass, class Team>
UNROLL_HOST_DEVICE void walkTurn(const Pass& pass, const PersistentPlan& plan, Team& team, std::int64_t turn)
{
    if constexpr (Pass::stages == 2)
        turn % 2 == 0 ? walkTurn<0>(pass, plan, team, turn) : walkTurn<1>(pass, plan, team, turn);
    else
        walkTurn<0>(pass, plan, team, turn);
}

template <class Pass, class Team>
UNROLL_HOST_DEVICE void loadMatrices(Team& team)
{
    team.each([](auto& thread) {
        thread.template load<0>();
        if constexpr (Pass::stages == 2)
            thread.template load<1>();
    });
}

/// All that a block does.
template <class Pass, class Team>
UNROLL_HOST_DEVICE void walkPersistent(const Pass& pass, const PersistentPlan& plan, Team& team)
{
    loadMatrices<Pass>(team);
    for (std::int64_t turn = 0; turn < pass.turns(); ++turn)
        walkTurn(pass, plan, team, turn);
}

} // namespace unroll::kernels
