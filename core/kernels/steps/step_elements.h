// SPDX-License-Identifier: GPL-3.0-or-later
// The elementwise parts of a step whose products torch makes: on CUDA a thread takes a number of the state, tests go
// through them on the CPU. Its arrays are those of the whole walk; `walk` says where in it the step is.
#pragma once

#include "core/kernels/scan/column_view.h"
#include "core/kernels/scan/scan_domain.h"

namespace unroll::kernels {

/// A derived struct has operator()(sequence, unit) and, as of every pass, complete().
struct StepElements : ScanDomain {
    WalkStep walk;

    UNROLL_HOST_DEVICE bool real(std::int64_t sequence) const { return mask.real(walk.step, sequence); }

    /// A number of what lies (T,B,...) at this step, and of the state before it.
    template <typename T>
    UNROLL_HOST_DEVICE T* now(const Rows<T>& rows, std::int64_t sequence, std::int64_t column) const
    {
        return rows.row(walk.step, sequence) + column;
    }
    /// Has a GPU fetch that number from its memory, to be read soon. Of an absent array, nothing.
    template <typename T>
    UNROLL_HOST_DEVICE void ask(const Rows<T>& rows, std::int64_t sequence, std::int64_t column) const
    {
#ifdef __CUDA_ARCH__
        if (rows)
            asm volatile("prefetch.L2 [%0];" ::"l"(now(rows, sequence, column)));
#else
        (void)rows, (void)sequence, (void)column;
#endif
    }
    template <typename T>
    UNROLL_HOST_DEVICE T nowOrZero(const Rows<const T>& rows, std::int64_t sequence, std::int64_t column) const
    {
        return rows ? *now(rows, sequence, column) : T(0);
    }
    template <typename T>
    UNROLL_HOST_DEVICE T before(const Rows<const T>& states, const Rows<const T>& initial, std::int64_t sequence,
                                std::int64_t unit) const
    {
        return walk.first ? readState(initial, sequence, unit) : states.row(walk.before, sequence)[unit];
    }
};

} // namespace unroll::kernels
