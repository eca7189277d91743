// SPDX-License-Identifier: GPL-3.0-or-later
// One column of a scan (one unit of one sequence), as a CUDA thread walks it; tests walk them on the CPU. Values are
// read and written in Io and computed in State.
#pragma once

#include "core/kernels/scan/scan_domain.h"

#include <type_traits>

namespace unroll::kernels {

/// Element `unit` of every step of one sequence. An absent array reads as zeros and is not written.
template <typename T, typename State>
struct ColumnView {
    T* data = nullptr;
    std::int64_t stride = 0;

    UNROLL_HOST_DEVICE ColumnView(const Rows<T>& rows, std::int64_t batch, std::int64_t unit)
        : data(rowOrNull(rows, 0, batch, unit)), stride(rows.stepStride)
    {}
    UNROLL_HOST_DEVICE State read(std::int64_t step) const
    {
        return data ? static_cast<State>(data[step * stride]) : State(0);
    }
    UNROLL_HOST_DEVICE void write(std::int64_t step, State value) const
    {
        if (data)
            data[step * stride] = static_cast<std::remove_const_t<T>>(value);
    }
};

/// Element (batch, unit) of a (B,d) array; 0 where that is absent.
template <typename State>
UNROLL_HOST_DEVICE State readState(const Rows<const State>& rows, std::int64_t batch, std::int64_t unit)
{
    return ColumnView<const State, State>(rows, batch, unit).read(0);
}

/// Steps whose inputs are read before any of them is computed. A thread walks its column alone, so it must have several
/// reads in flight; all of them lie in registers, twice, so where a step has much to read they are fewer.
template <class Column>
inline constexpr int kStepsAhead = sizeof(typename Column::Read) <= 24   ? 8
                                   : sizeof(typename Column::Read) <= 56 ? 4
                                                                         : 2;

/// What was read of a step.
template <class Column>
struct ReadStep {
    typename Column::Read inputs;
    std::int64_t step;
    bool real;
};

/// The step at a position of the column's walk.
template <class Column>
UNROLL_HOST_DEVICE WalkStep walkedStep(const ScanDomain& scan, std::int64_t position)
{
    return scan.at(Column::backward ? scan.steps - 1 - position : position);
}

/// Reads `count` steps from position `start` of the column's walk on.
template <int count, class Column>
UNROLL_HOST_DEVICE void readAhead(const Column& column, const ScanDomain& scan, std::int64_t batch, std::int64_t start,
                                  ReadStep<Column>* block)
{
    UNROLL_ALL_TURNS
    for (int i = 0; i < count; ++i)
        if (start + i < scan.steps) {
            const WalkStep at = walkedStep<Column>(scan, start + i);
            block[i] = {column.read(at), at.step, scan.mask.real(at.step, batch)};
        }
}

/// A column whose state after a step is linear in the state before it. What of a step does not depend on the state is
/// made first, and with it the step can be composed with others (affine_map.h). It has
///     Element, State            what is made of a step; the type of the state
///     element(t, read)          -> Element of a real step; held(t, read): of a masked one. May write what depends on
///                               no state
///     map(element)              -> AffineMap<State>, of either
///     step(t, element)          a real step; hold(t, element): a masked one
///     carried()                 -> State&: the state on the way forward, its gradient on the way back
template <class Column>
concept LinearColumn = requires
{
    typename Column::Element;
};

template <class Column>
UNROLL_HOST_DEVICE void walkStep(Column& column, const ReadStep<Column>& in)
{
    if constexpr (LinearColumn<Column>)
        in.real ? column.step(in.step, column.element(in.step, in.inputs))
                : column.hold(in.step, column.held(in.step, in.inputs));
    else
        in.real ? column.step(in.step, in.inputs) : column.hold(in.step, in.inputs);
}

template <class Column>
concept WalksByItself = requires(Column column)
{
    column.run();
};

/// Inputs of the next block of steps are read before a block is computed, so that reads overlap.
template <class Column>
UNROLL_HOST_DEVICE void walkReadingAhead(Column& column, const ScanDomain& scan, std::int64_t batch)
{
    constexpr int ahead = kStepsAhead<Column>;
    ReadStep<Column> now[ahead], next[ahead];
    readAhead<ahead>(column, scan, batch, 0, now);
    for (std::int64_t start = 0; start < scan.steps; start += ahead) {
        readAhead<ahead>(column, scan, batch, start + ahead, next);
        UNROLL_ALL_TURNS
        for (int i = 0; i < ahead; ++i)
            if (start + i < scan.steps)
                walkStep(column, now[i]);
        UNROLL_ALL_TURNS
        for (int i = 0; i < ahead; ++i)
            now[i] = next[i];
    }
    column.finish();
}

/// Walks one column of a scan. columnOf(scan, batch, unit) makes what is walked, which has
///     Read, backward        what is read of a step, and which way the walk goes
///     read(WalkStep)        -> Read
///     step(t, read)         a real step; hold(t, read): a masked one; of a LinearColumn see there
///     finish()              after the last
/// or run() alone, where it walks by itself: more than one number of state, or more than one way.
template <class Scan>
UNROLL_HOST_DEVICE void walkColumn(const Scan& scan, std::int64_t batch, std::int64_t unit)
{
    auto column = columnOf(scan, batch, unit);
    if constexpr (WalksByItself<decltype(column)>)
        column.run();
    else
        walkReadingAhead(column, scan, batch);
}

} // namespace unroll::kernels
