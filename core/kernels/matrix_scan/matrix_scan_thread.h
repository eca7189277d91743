// SPDX-License-Identifier: GPL-3.0-or-later
// One thread of a block of matrix_scan (matrix_scan_tile.h): one row of one matrix in one run of steps. Between any two
// of these is a barrier:
//
//     stage       m of all steps into shared memory, by all threads
//     gather      (in chunks) the product over the run
//     combine     (in chunks, first segment) the product over the chunk
//     lookBack    (in chunks, first segment) takes the row before the chunk, hands on the one after it
//     walk        the run's steps from the row before them
//     multiply    (backward) the gradient of each m
//     store       results of all steps from shared memory, by all threads
//
// Tests run the same on the CPU.
#pragma once

#include "core/kernels/matrix_scan/matrix_scan_tile.h"

namespace unroll::kernels {

template <class Scan, int capacity>
class MatrixThread {
public:
    using Io = typename Scan::IoType;
    using State = typename Scan::StateType;
    using Row = RowOfNumbers<State, capacity>;

    UNROLL_HOST_DEVICE MatrixThread(const Scan& scan, const MatrixPlan<State>& plan, std::int64_t group, int thread,
                                    State* memory)
        : m_scan(scan),
          m_plan(plan),
          m_shared(plan.tile, memory),
          m_size(plan.tile.size),
          m_thread(thread),
          m_segment(thread / plan.tile.rows()),
          m_matrix(thread % plan.tile.rows() / m_size),
          m_row(thread % m_size),
          m_first(group * plan.tile.matrices),
          m_place(placeOf(m_matrix)),
          m_index(m_place.batch * scan.width + m_place.offset / m_size + m_row),
          m_offset(m_size)
    {}

    /// The steps that the next calls are about, from this position of the walk on.
    UNROLL_HOST_DEVICE void begin(std::int64_t chunk)
    {
        m_chunk = chunk;
        m_start = chunk * m_plan.tile.steps();
    }

    UNROLL_HOST_DEVICE void stage()
    {
        forNumbers([&](int matrix, int row, int column, const Place& place) {
            for (int s = 0; s < m_plan.tile.steps() && m_start + s < m_scan.steps; ++s)
                if (const std::int64_t t = stepAt(s).step; m_scan.mask.real(t, place.batch))
                    areaRow(m_shared.m, s, matrix, row)[column] =
                        static_cast<State>(m_scan.m.row(t, place.batch)[place.offset + row * m_size + column]);
        });
    }

    UNROLL_HOST_DEVICE void gather()
    {
        if (!m_place.there)
            return;
        Row factor(m_size);
        factor.unit(m_row);
        if constexpr (Scan::backward)
            m_offset.clear();
        forRun([&](int s, std::int64_t t, bool real) {
            if constexpr (Scan::backward) {
                Row arriving(m_size);
                arriving.read(rowOrNull(m_scan.gradH, t, m_place.batch, myRow()));
                arriving.write(areaRow(m_shared.arrived, s, m_matrix, m_row));
                m_offset.add(arriving.value);
            }
            if (real) {
                through(factor, s);
                if constexpr (Scan::backward)
                    through(m_offset, s);
            }
        });
        factor.write(areaRow(m_shared.factors, m_segment, m_matrix, m_row));
        if constexpr (Scan::backward)
            m_offset.write(areaRow(m_shared.offsets, m_segment, m_matrix, m_row));
    }

    /// Whether this thread takes part in combine() and lookBack().
    UNROLL_HOST_DEVICE bool looksBack() const { return m_place.there && m_segment == 0; }

    UNROLL_HOST_DEVICE void combine()
    {
        Row factor(m_size);
        factor.read(areaRow(m_shared.factors, 0, m_matrix, m_row));
        for (int w = 1; w < m_plan.tile.segments; ++w) {
            factor.times(areaRow(m_shared.factors, w, m_matrix, 0), pitch());
            if constexpr (Scan::backward)
                passSegment(m_offset, w);
        }
        factor.write(m_shared.whole.row(m_matrix, m_row));
    }

    UNROLL_HOST_DEVICE void lookBack()
    {
        Row row(m_size);
        if (m_chunk == 0) {
            readFirst();
            row.read(m_shared.before.row(m_matrix, m_row));
        } else {
            m_plan.rows.await(m_chunk - 1, m_index);
            row.read(m_plan.rows.slot(m_chunk - 1, m_index));
            row.write(m_shared.before.row(m_matrix, m_row));
        }
        if (m_chunk + 1 == m_plan.chunks)
            return;
        row.times(m_shared.whole.row(m_matrix, 0), pitch());
        if constexpr (Scan::backward)
            row.add(m_offset.value);
        row.write(m_plan.rows.slot(m_chunk, m_index));
        m_plan.rows.publish(m_chunk, m_index);
    }

    /// What the thread would wait for is there. For tests.
    bool canTake() const { return m_chunk == 0 || m_plan.rows.published(m_chunk - 1, m_index); }

    /// The state before the first step, or the gradient after the last, becomes the row before.
    UNROLL_HOST_DEVICE void readFirst()
    {
        if (!m_place.there)
            return;
        Row row(m_size);
        if constexpr (Scan::backward)
            row.read(rowOrNull(m_scan.gradLast, 0, m_place.batch, myRow()));
        else
            row.read(m_scan.initial.row(0, m_place.batch) + myRow());
        row.write(m_shared.before.row(m_matrix, m_row));
    }

    /// `gathered`: gather() has read the gradients that arrive.
    UNROLL_HOST_DEVICE void walk(bool gathered)
    {
        if (!m_place.there)
            return;
        Row row(m_size);
        row.read(m_shared.before.row(m_matrix, m_row));
        for (int w = 0; w < m_segment; ++w)
            passSegment(row, w);
        forRun([&](int s, std::int64_t t, bool real) {
            State* arrived = areaRow(m_shared.arrived, s, m_matrix, m_row);
            if constexpr (Scan::backward) {
                Row arriving(m_size);
                if (gathered)
                    arriving.read(arrived);
                else
                    arriving.read(rowOrNull(m_scan.gradH, t, m_place.batch, myRow()));
                row.add(arriving.value);
                row.write(arrived);
            }
            if (real)
                through(row, s);
            if constexpr (!Scan::backward)
                row.write(arrived);
        });
        if (hasLastStep())
            row.write(lastRow());
        if (m_plan.tile.segments == 1)
            row.write(m_shared.before.row(m_matrix, m_row));
    }

    /// For a walk without any step.
    UNROLL_HOST_DEVICE void copyFirstToLast()
    {
        if (!m_place.there)
            return;
        Row row(m_size);
        row.read(m_shared.before.row(m_matrix, m_row));
        row.write(lastRow());
    }

    /// Row m_row of h_{t-1}^T c_t, which takes the place of m_t.
    UNROLL_HOST_DEVICE void multiply()
    {
        static_assert(Scan::backward);
        if (!m_place.there)
            return;
        forRun([&](int s, std::int64_t, bool real) {
            Row product(m_size);
            product.clear();
            const WalkStep at = stepAt(s);
            if (real && at.first)
                addProducts(product, s, m_scan.initial.row(0, m_place.batch) + m_place.offset);
            else if (real)
                addProducts(product, s, m_scan.h.row(at.before, m_place.batch) + m_place.offset);
            product.write(areaRow(m_shared.m, s, m_matrix, m_row));
        });
    }

    UNROLL_HOST_DEVICE void store()
    {
        forNumbers([&](int matrix, int row, int column, const Place& place) {
            for (int s = 0; s < m_plan.tile.steps() && m_start + s < m_scan.steps; ++s) {
                const std::int64_t t = stepAt(s).step, to = place.offset + row * m_size + column;
                if constexpr (Scan::backward)
                    m_scan.gradM.row(t, place.batch)[to] = static_cast<Io>(areaRow(m_shared.m, s, matrix, row)[column]);
                else
                    m_scan.h.row(t, place.batch)[to] =
                        static_cast<Io>(areaRow(m_shared.arrived, s, matrix, row)[column]);
            }
        });
    }

private:
    /// Where a matrix lies in a step. The last tile may have fewer than its number.
    struct Place {
        bool there;
        std::int64_t batch, offset;
    };
    UNROLL_HOST_DEVICE Place placeOf(int matrix) const
    {
        const std::int64_t index = m_first + matrix, heads = m_scan.width / m_size;
        const bool there = index < m_scan.batch * heads;
        return {there, there ? index / heads : 0, there ? index % heads * m_size * m_size : 0};
    }
    UNROLL_HOST_DEVICE std::int64_t myRow() const { return m_place.offset + m_row * m_size; }
    UNROLL_HOST_DEVICE int pitch() const { return MatrixArea<State>::pitch(m_size); }
    UNROLL_HOST_DEVICE State* areaRow(const MatrixArea<State>& area, int turn, int matrix, int row) const
    {
        return area.row(turn * m_plan.tile.matrices + matrix, row);
    }
    UNROLL_HOST_DEVICE WalkStep stepAt(int s) const
    {
        const std::int64_t position = m_start + s;
        return m_scan.at(Scan::backward ? m_scan.steps - 1 - position : position);
    }

    /// each(matrix, row, column, place) for the numbers of a step that this thread copies: neighbours copy what lies
    /// side by side.
    template <class Each>
    UNROLL_HOST_DEVICE void forNumbers(const Each& each) const
    {
        const int count = m_size * m_size, threads = m_plan.tile.rows() * m_plan.tile.segments;
        for (int i = m_thread; i < m_plan.tile.matrices * count; i += threads)
            if (const Place place = placeOf(i / count); place.there)
                each(i / count, i % count / m_size, i % m_size, place);
    }
    /// each(s, t, real) for the steps of this thread's run.
    template <class Each>
    UNROLL_HOST_DEVICE void forRun(const Each& each) const
    {
        const int first = m_segment * m_plan.tile.runSteps;
        for (int s = first; s < first + m_plan.tile.runSteps && m_start + s < m_scan.steps; ++s) {
            const std::int64_t t = stepAt(s).step;
            each(s, t, m_scan.mask.real(t, m_place.batch));
        }
    }
    /// A row through m of one step.
    UNROLL_HOST_DEVICE void through(Row& row, int s) const
    {
        const State* m = areaRow(m_shared.m, s, m_matrix, 0);
        Scan::backward ? row.timesTransposed(m, pitch()) : row.times(m, pitch());
    }
    /// A row through all steps of a segment.
    UNROLL_HOST_DEVICE void passSegment(Row& row, int w) const
    {
        row.times(areaRow(m_shared.factors, w, m_matrix, 0), pitch());
        if constexpr (Scan::backward)
            row.add(areaRow(m_shared.offsets, w, m_matrix, m_row));
    }
    template <typename T>
    UNROLL_HOST_DEVICE void addProducts(Row& product, int s, const T* before) const
    {
        for (int i = 0; i < m_size; ++i) {
            const State factor = static_cast<State>(before[i * m_size + m_row]);
            const State* arrived = areaRow(m_shared.arrived, s, m_matrix, i);
            product.forAll([&](int j) { product.value[j] += factor * arrived[j]; });
        }
    }
    UNROLL_HOST_DEVICE bool hasLastStep() const
    {
        const std::int64_t first = m_start + m_segment * m_plan.tile.runSteps;
        return first < m_scan.steps && first + m_plan.tile.runSteps >= m_scan.steps;
    }
    UNROLL_HOST_DEVICE State* lastRow() const
    {
        if constexpr (Scan::backward)
            return m_scan.gradInitial.row(0, m_place.batch) + myRow();
        else
            return m_scan.last.row(0, m_place.batch) + myRow();
    }

    const Scan& m_scan;
    const MatrixPlan<State>& m_plan;
    MatrixShared<State> m_shared;
    int m_size, m_thread, m_segment, m_matrix, m_row;
    std::int64_t m_first; ///< matrix of the tile, among all
    Place m_place;
    std::int64_t m_index; ///< of the row among all
    std::int64_t m_chunk = 0, m_start = 0;
    Row m_offset; ///< backward: what the steps add to the row
};

} // namespace unroll::kernels
