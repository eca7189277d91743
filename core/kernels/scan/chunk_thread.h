// SPDX-License-Identifier: GPL-3.0-or-later
// One thread of a tile of a chunked scan. A tile is 32 columns, a lane each, times kChunkWarps runs of consecutive
// steps, a warp each. A thread reads the steps of its run and keeps them in registers, so each element is read once:
//
//     gather      reads, prepares and composes the run's steps
//     lookBack    (first warp) takes the state before the chunk, hands on the one after it
//     walk        walks the run from the state before it
//     close       (the warp of the chunk's last step) sums over steps handed on; the end of the column
//
// with a barrier between any two. Tests run the same on the CPU (on_chunks.h).
#pragma once

#include "core/kernels/scan/affine_map.h"
#include "core/kernels/scan/column_view.h"
#include "core/kernels/scan/lookback.h"

#include <utility>

namespace unroll::kernels {

inline constexpr int kChunkWarps = 8;
inline constexpr int kChunkLanes = 32;

template <class Scan>
using ColumnOf = decltype(columnOf(std::declval<const Scan&>(), 0, 0));

/// Whether the scan goes along columns that are linear in their state.
template <class Scan>
concept Chunkable = LinearColumn<ColumnOf<Scan>>;

/// Whether a pass sums something over the steps of a column, besides its state: the column has summed().
template <class Column>
concept SummingColumn = requires(Column column)
{
    column.summed();
};

/// Steps that a thread keeps in registers: few enough for two blocks on a multiprocessor (at most 128 registers a
/// thread).
template <class Column>
inline constexpr int kRunSteps = sizeof(typename Column::Element) <= 8    ? 16
                                 : sizeof(typename Column::Element) <= 24 ? 8
                                                                          : 4;

/// Steps of a chunk; 0 where the scan is not linear in its state.
template <class Scan>
constexpr std::int64_t chunkStepsOf()
{
    if constexpr (Chunkable<Scan>)
        return kChunkWarps * kRunSteps<ColumnOf<Scan>>;
    else
        return 0;
}

/// What a chunked pass is given besides its parameters.
template <typename State>
struct ChunkPlan {
    std::int64_t chunks = 0;
    std::int64_t groups = 0; ///< of 32 columns
    unsigned* ticket = nullptr;
    Lookback<State> states;
    Lookback<State> sums; ///< where the column is summing
};

template <class Scan>
struct ChunkMemory {
    using Column = ColumnOf<Scan>;
    using State = typename Column::State;
    static constexpr int sets = SummingColumn<Column> ? 2 : 1;

    static ChunkWorkspace workspace(const Scan& scan, const ScanLaunch& launch)
    {
        return ChunkWorkspace::of(launch.chunks, scan.batch * scan.width, sets, sizeof(State));
    }
    static ChunkPlan<State> plan(const Scan& scan, const ScanLaunch& launch, void* memory)
    {
        const ChunkWorkspace space = workspace(scan, launch);
        const std::int64_t columns = scan.batch * scan.width, chunks = launch.chunks;
        return {chunks, (columns + kChunkLanes - 1) / kChunkLanes, space.ticket(memory),
                space.lookback<State>(memory, 0, chunks, columns),
                space.lookback<State>(memory, sets - 1, chunks, columns)};
    }
};

/// What the choice of a launch looks at, for a scan that columnOf() makes columns of.
template <class Scan>
ScanSizes sizesForLaunch(const Scan& scan)
{
    return {scan.steps, scan.batch * scan.width, chunkStepsOf<Scan>()};
}

/// Bytes of device memory that the launch needs besides the arrays.
template <class Scan>
std::size_t workspaceBytes(const Scan& scan, const ScanLaunch& launch)
{
    if constexpr (Chunkable<Scan>)
        return launch.way == ScanWay::Chunks ? ChunkMemory<Scan>::workspace(scan, launch).bytes : 0;
    else
        return 0;
}

/// What the threads of a tile share.
template <typename State>
struct ChunkShared {
    AffineMap<State> maps[kChunkWarps][kChunkLanes];
    State before[kChunkLanes];
    State sums[kChunkWarps][kChunkLanes];
};

template <class Scan>
class ChunkThread {
public:
    using Column = ColumnOf<Scan>;
    using State = typename Column::State;
    static constexpr int steps = kRunSteps<Column>;

    UNROLL_HOST_DEVICE ChunkThread(const Scan& scan, const ChunkPlan<State>& plan, ChunkTile tile, int thread)
        : m_scan(scan),
          m_plan(plan),
          m_chunk(tile.chunk),
          m_warp(thread / kChunkLanes),
          m_lane(thread % kChunkLanes),
          m_index(tile.group * kChunkLanes + m_lane),
          m_there(m_index < scan.batch * scan.width),
          m_start((tile.chunk * kChunkWarps + m_warp) * steps),
          m_column(columnOf(scan, m_there ? m_index / scan.width : 0, m_there ? m_index % scan.width : 0))
    {}

    UNROLL_HOST_DEVICE void gather(ChunkShared<State>& shared)
    {
        if (!m_there)
            return;
        ReadStep<Column> run[steps];
        readAhead<steps>(m_column, m_scan, batch(), m_start, run);
        auto map = AffineMap<State>::identity();
        UNROLL_ALL_TURNS
        for (int i = 0; i < steps; ++i)
            if (inside(i)) {
                m_elements[i] = run[i].real ? m_column.element(run[i].step, run[i].inputs)
                                            : m_column.held(run[i].step, run[i].inputs);
                m_real |= run[i].real ? 1u << i : 0u;
                map = map.then(m_column.map(m_elements[i]));
            }
        shared.maps[m_warp][m_lane] = map;
    }

    /// Whether this thread takes part in lookBack().
    UNROLL_HOST_DEVICE bool looksBack() const { return m_there && m_warp == 0; }

    UNROLL_HOST_DEVICE void lookBack(ChunkShared<State>& shared)
    {
        auto whole = shared.maps[0][m_lane];
        for (int w = 1; w < kChunkWarps; ++w)
            whole = whole.then(shared.maps[w][m_lane]);
        const State before = m_chunk == 0 ? m_column.carried() : taken(m_plan.states);
        if (!lastChunk())
            give(m_plan.states, whole(before));
        shared.before[m_lane] = before;
    }

    UNROLL_HOST_DEVICE void walk(ChunkShared<State>& shared)
    {
        if (!m_there)
            return;
        State state = shared.before[m_lane];
        for (int w = 0; w < m_warp; ++w)
            state = shared.maps[w][m_lane](state);
        m_column.carried() = state;
        UNROLL_ALL_TURNS
        for (int i = 0; i < steps; ++i)
            if (inside(i)) {
                const std::int64_t t = walkedStep<Column>(m_scan, m_start + i).step;
                (m_real >> i & 1) != 0 ? m_column.step(t, m_elements[i]) : m_column.hold(t, m_elements[i]);
            }
        if constexpr (SummingColumn<Column>)
            shared.sums[m_warp][m_lane] = m_column.summed();
    }

    /// Whether this thread takes part in close().
    UNROLL_HOST_DEVICE bool closes() const
    {
        const std::int64_t next = m_start + steps;
        return m_there && m_start < m_scan.steps && (m_warp + 1 == kChunkWarps || next >= m_scan.steps);
    }

    UNROLL_HOST_DEVICE void close(const ChunkShared<State>& shared)
    {
        if constexpr (SummingColumn<Column>) {
            State sum = m_chunk == 0 ? State(0) : taken(m_plan.sums);
            for (int w = 0; w <= m_warp; ++w)
                sum = sum + shared.sums[w][m_lane];
            m_column.summed() = sum;
            if (!lastChunk())
                give(m_plan.sums, sum);
        }
        if (lastChunk())
            m_column.finish();
    }

    /// What the thread would wait for is there. For tests.
    bool canTakeState() const { return m_chunk == 0 || m_plan.states.published(m_chunk - 1, m_index); }
    bool canTakeSum() const { return m_chunk == 0 || m_plan.sums.published(m_chunk - 1, m_index); }

private:
    UNROLL_HOST_DEVICE std::int64_t batch() const { return m_index / m_scan.width; }
    UNROLL_HOST_DEVICE bool inside(int i) const { return m_start + i < m_scan.steps; }
    UNROLL_HOST_DEVICE bool lastChunk() const { return m_chunk + 1 == m_plan.chunks; }

    UNROLL_HOST_DEVICE State taken(const Lookback<State>& from) const
    {
        from.await(m_chunk - 1, m_index);
        return *from.slot(m_chunk - 1, m_index);
    }
    UNROLL_HOST_DEVICE void give(const Lookback<State>& to, State value) const
    {
        *to.slot(m_chunk, m_index) = value;
        to.publish(m_chunk, m_index);
    }

    const Scan& m_scan;
    const ChunkPlan<State>& m_plan;
    std::int64_t m_chunk;
    int m_warp, m_lane;
    std::int64_t m_index; ///< of the column
    bool m_there;         ///< the last group may have fewer columns
    std::int64_t m_start; ///< position of the run in the walk
    Column m_column;
    typename Column::Element m_elements[steps];
    unsigned m_real = 0; ///< bit i: step i of the run is real
};

} // namespace unroll::kernels
