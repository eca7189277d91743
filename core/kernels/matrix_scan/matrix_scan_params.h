// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of matrix_scan are given: raw views, checked before. T = steps, B = batch. The matrices of one step of one
// sequence lie one behind the other, row by row: heads * n * n numbers.
#pragma once

#include "core/kernels/common/rows.h"

#include <cstdint>

namespace unroll::kernels {

/// Rows and columns of a state that the kernels take, at most.
inline constexpr std::int64_t maxMatrixSize = 64;

/// Io: type of everything (T,B,...). State: type of everything (B,...) and of the arithmetic; wider than Io for bf16.
template <typename Io, typename State>
struct MatrixScanForward {
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0; ///< rows of all matrices: heads * n
    std::int64_t size = 1;  ///< n
    bool reverse = false;
    Rows<const Io> m; ///< (T,B,heads n n)
    StepMask mask;
    Rows<const State> initial; ///< (B,heads n n)
    Rows<Io> h;                ///< (T,B,heads n n), written
    Rows<State> last;          ///< (B,heads n n), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct MatrixScanBackward {
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0;
    std::int64_t size = 1;
    bool reverse = false; ///< of the forward pass
    Rows<const Io> m;
    StepMask mask;
    Rows<const State> initial;
    Rows<const Io> h;           ///< as the forward pass wrote it
    Rows<const Io> gradH;       ///< (T,B,heads n n), or absent: zeros
    Rows<const State> gradLast; ///< (B,heads n n), or absent
    Rows<Io> gradM;             ///< (T,B,heads n n)
    Rows<State>
        gradInitial; ///< (B,heads n n), written; on the CPU it carries the state's gradient from step to step meanwhile
};

/// The state before the s-th step of the walk: h holds those after each step.
template <class Scan>
UNROLL_HOST_DEVICE std::int64_t stepBefore(const Scan& scan, std::int64_t s)
{
    return scan.reverse ? scan.steps - s : s - 1;
}

template <class Scan>
bool hasMatrixSizes(const Scan& scan)
{
    const bool size = scan.size >= 1 && scan.size <= maxMatrixSize;
    return scan.steps >= 0 && scan.batch >= 0 && scan.width >= 0 && size && scan.width % scan.size == 0;
}

/// Whether sizes make sense and every array that the pass needs is there.
template <typename Io, typename State>
bool complete(const MatrixScanForward<Io, State>& scan)
{
    if (!hasMatrixSizes(scan))
        return false;
    const bool noState = scan.batch * scan.width == 0;
    const bool noSteps = noState || scan.steps == 0;
    return (noState || (scan.initial && scan.last)) && (noSteps || (scan.m && scan.h));
}

template <typename Io, typename State>
bool complete(const MatrixScanBackward<Io, State>& scan)
{
    if (!hasMatrixSizes(scan))
        return false;
    const bool noState = scan.batch * scan.width == 0;
    const bool noSteps = noState || scan.steps == 0;
    return (noState || (scan.initial && scan.gradInitial)) && (noSteps || (scan.m && scan.h && scan.gradM));
}

} // namespace unroll::kernels
