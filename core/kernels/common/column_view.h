// SPDX-License-Identifier: GPL-3.0-or-later
// One column of the arrays of a scan, as a CUDA thread sees it. Values are read and written in Io and computed in State.
#pragma once

#include "core/kernels/common/rows.h"

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

/// Steps whose inputs are read before any of them is computed. A thread walks its column alone, so it must have several reads in flight.
constexpr int stepsAhead = 8;

/// The steps of a scan in the order they are walked.
struct StepOrder {
    std::int64_t steps;
    bool reverse;

    UNROLL_HOST_DEVICE std::int64_t at(std::int64_t position) const
    {
        return reverse ? steps - 1 - position : position;
    }
};

} // namespace unroll::kernels
