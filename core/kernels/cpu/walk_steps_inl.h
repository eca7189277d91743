// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's walk of a scan: step after step, and in each the rows that some columns cover. Included once for each CPU
// target.

#if defined(UNROLL_WALK_STEPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_WALK_STEPS_INL_H
#undef UNROLL_WALK_STEPS_INL_H
#else
#define UNROLL_WALK_STEPS_INL_H
#endif

#include "core/kernels/cpu/lanes_inl.h"
#include "core/kernels/cpu/streaming.h"
#include "core/kernels/scan/scan_domain.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {

/// A row of one step and sequence, or a piece of it: `count` units from `unit` on.
struct RowPiece {
    WalkStep walk;
    WalkStep next; ///< the step that is walked next, or this one again at the end
    std::int64_t steps;
    std::int64_t batch;
    std::int64_t unit;
    std::int64_t count;
    bool real; ///< not masked

    /// Other units of the same row.
    HWY_INLINE RowPiece piece(std::int64_t first, std::int64_t units) const
    {
        return {walk, next, steps, batch, first, units, real};
    }
    /// The piece of an array (T,B,d), or of a (B,d) one; nullptr where that is absent.
    template <typename T>
    HWY_INLINE T* of(const Rows<T>& rows) const
    {
        return rowOrNull(rows, walk.step, batch, unit);
    }
    /// The same of an array (T,B,d) that each step reads again.
    template <typename T>
    HWY_INLINE ReadRow<T> read(const Rows<const T>& rows) const
    {
        return {of(rows), (next.step - walk.step) * rows.stepStride};
    }
    /// The same of an array (T,B,d) that is only written.
    template <typename T>
    HWY_INLINE WrittenRow<T> written(const Rows<T>& rows) const
    {
        T* row = of(rows);
        return {row, isStreamed(row, steps * rows.stepStride * static_cast<std::int64_t>(sizeof(T)))};
    }
    /// The state before the step, of states (T,B,d) after each step; absent: zeros.
    template <typename States, typename T>
    HWY_INLINE ReadRow<T> before(const States& states, const Rows<const T>& initial) const
    {
        if (walk.first)
            return {of(initial), 0};
        return {rowOrNull(states, walk.before, batch, unit),
                next.first ? 0 : (next.before - walk.before) * states.stepStride};
    }
};

/// Calls body(piece) for each row of (B,d) arrays that the columns cover.
template <class Scan, class Body>
HWY_INLINE void eachRow(const Scan& scan, ColumnRange columns, const Body& body)
{
    forRows(columns, scan.cpuColumns(), [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
        body(RowPiece{WalkStep{}, WalkStep{}, 1, b, j, count, true});
    });
}

/// Calls body(piece) for the rows of the step at `position` of the walk, which goes on at `next`.
template <class Scan, class Body>
HWY_INLINE void eachRowAt(const Scan& scan, std::int64_t position, std::int64_t next, ColumnRange columns,
                          const Body& body)
{
    const WalkStep walk = scan.at(position), ahead = scan.at(next);
    forRows(columns, scan.cpuColumns(), [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
        body(RowPiece{walk, ahead, scan.steps, b, j, count, scan.mask.real(walk.step, b)});
    });
}

/// Calls body(piece) along the steps, in the order of the forward pass.
template <class Scan, class Body>
HWY_INLINE void walkSteps(const Scan& scan, ColumnRange columns, const Body& body)
{
    const std::int64_t end = scan.steps - 1;
    for (std::int64_t position = 0; position <= end; ++position)
        eachRowAt(scan, position, position < end ? position + 1 : end, columns, body);
    hwy::FlushStream();
}

/// The same in the order of the backward pass.
template <class Scan, class Body>
HWY_INLINE void walkStepsBack(const Scan& scan, ColumnRange columns, const Body& body)
{
    for (std::int64_t position = scan.steps - 1; position >= 0; --position)
        eachRowAt(scan, position, position > 0 ? position - 1 : 0, columns, body);
    hwy::FlushStream();
}

/// Calls body(piece) once after the last step: there piece.before(states, initial) is the state that the forward walk
/// ends with.
template <class Scan, class Body>
HWY_INLINE void atEndOfWalk(const Scan& scan, ColumnRange columns, const Body& body)
{
    const WalkStep end = scan.at(scan.steps);
    eachRow(scan, columns, [&](RowPiece piece) HWY_ATTR {
        piece.walk = piece.next = end;
        body(piece);
    });
}

/// to = from, or zeros where that is absent: how states and their gradients begin.
template <typename T>
HWY_INLINE void startRows(const ScanDomain& scan, ColumnRange columns, const Rows<const T>& from, const Rows<T>& to)
{
    eachRow(scan, columns, [&](const RowPiece& at) HWY_ATTR { copyRowOrZero(at.of(from), at.of(to), at.count); });
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_WALK_STEPS_INL_H
