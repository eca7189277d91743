// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's walk of a scan: step after step, and in each the rows that some columns cover. Included once for each CPU target.

#if defined(UNROLL_WALK_STEPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_WALK_STEPS_INL_H
#undef UNROLL_WALK_STEPS_INL_H
#else
#define UNROLL_WALK_STEPS_INL_H
#endif

#include "core/kernels/common/lanes_inl.h"
#include "core/kernels/common/scan_domain.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {

/// A row of one step and sequence, or a piece of it: `count` units from `unit` on.
struct RowPiece {
    WalkStep walk;
    std::int64_t batch;
    std::int64_t unit;
    std::int64_t count;
    bool real; ///< not masked

    /// The piece of an array (T,B,d), or of a (B,d) one; nullptr where that is absent.
    template <typename T>
    HWY_INLINE T* of(const Rows<T>& rows) const
    {
        return rowOrNull(rows, walk.step, batch, unit);
    }
    /// The state before the step, of states (T,B,d) after each step; nullptr: zeros.
    template <typename T, typename I>
    HWY_INLINE I* before(const Rows<T>& states, const Rows<I>& initial) const
    {
        return walk.first ? of(initial) : rowOrNull(states, walk.before, batch, unit);
    }
};

/// Calls body(piece) for each row of (B,d) arrays that the columns cover.
template <class Scan, class Body>
HWY_INLINE void eachRow(const Scan& scan, ColumnRange columns, const Body& body)
{
    forRows(columns, scan.cpuColumns(), [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
        body(RowPiece{WalkStep{}, b, j, count, true});
    });
}

/// Calls body(piece) for the rows of the step at `position` of the walk.
template <class Scan, class Body>
HWY_INLINE void eachRowAt(const Scan& scan, std::int64_t position, ColumnRange columns, const Body& body)
{
    const WalkStep walk = scan.at(position);
    forRows(columns, scan.cpuColumns(), [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
        body(RowPiece{walk, b, j, count, scan.mask.real(walk.step, b)});
    });
}

/// Calls body(piece) along the steps, in the order of the forward pass.
template <class Scan, class Body>
HWY_INLINE void walkSteps(const Scan& scan, ColumnRange columns, const Body& body)
{
    for (std::int64_t position = 0; position < scan.steps; ++position)
        eachRowAt(scan, position, columns, body);
}

/// The same in the order of the backward pass.
template <class Scan, class Body>
HWY_INLINE void walkStepsBack(const Scan& scan, ColumnRange columns, const Body& body)
{
    for (std::int64_t position = scan.steps - 1; position >= 0; --position)
        eachRowAt(scan, position, columns, body);
}

/// Calls body(piece) once after the last step: there piece.before(states, initial) is the state that the forward walk ends with.
template <class Scan, class Body>
HWY_INLINE void atEndOfWalk(const Scan& scan, ColumnRange columns, const Body& body)
{
    const WalkStep end = scan.at(scan.steps);
    eachRow(scan, columns, [&](RowPiece piece) HWY_ATTR {
        piece.walk = end;
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
