// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of diag_scan are given: raw views, checked before. T = steps, B = batch, d = width in elements (complex ones
// count once).
#pragma once

#include "core/kernels/common/complex_pair.h"
#include "core/kernels/common/rows.h"

#include <cstdint>

namespace unroll::kernels {

/// Io: type of everything (T,B,d). State: type of everything (B,d) or (d), and of the arithmetic; wider than Io for bf16.
/// Exactly one of `a` and `constant` is there.
template <typename Io, typename State>
struct DiagScanForward {
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0;
    bool reverse = false;
    Rows<const Io> a;           ///< (T,B,d)
    Rows<const State> constant; ///< (d): both strides 0
    Rows<const Io> b;           ///< (T,B,d)
    StepMask mask;
    Rows<const State> initial; ///< (B,d), or absent: zeros
    Rows<Io> h;                ///< (T,B,d), written
    Rows<State> last;          ///< (B,d), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct DiagScanBackward {
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0;
    bool reverse = false; ///< of the forward pass
    Rows<const Io> a;
    Rows<const State> constant;
    StepMask mask;
    Rows<const State> initial;
    Rows<const Io> h;           ///< as the forward pass wrote it
    Rows<const Io> gradH;       ///< (T,B,d), or absent: zeros
    Rows<const State> gradLast; ///< (B,d), or absent
    Rows<Io> gradA;             ///< (T,B,d), where `a` is
    Rows<State> gradConstant;   ///< (B,d), where `constant` is: a sum over the steps of one sequence each
    Rows<Io> gradB;             ///< (T,B,d)
    Rows<State> gradInitial;    ///< (B,d), written; carries the state's gradient from step to step meanwhile
};

/// Whether sizes make sense and every array that the pass needs is there.
template <typename Io, typename State>
bool complete(const DiagScanForward<Io, State>& scan)
{
    if (scan.steps < 0 || scan.batch < 0 || scan.width < 0)
        return false;
    const bool noState = scan.batch * scan.width == 0;
    const bool noSteps = noState || scan.steps == 0;
    return (noState || scan.last) && (noSteps || (bool(scan.a) != bool(scan.constant) && scan.b && scan.h));
}

template <typename Io, typename State>
bool complete(const DiagScanBackward<Io, State>& scan)
{
    if (scan.steps < 0 || scan.batch < 0 || scan.width < 0)
        return false;
    const bool noState = scan.batch * scan.width == 0;
    const bool noSteps = noState || scan.steps == 0;
    const bool factor = bool(scan.a) != bool(scan.constant);
    const bool gradients = scan.gradB && bool(scan.gradA) == bool(scan.a);
    const bool sums = bool(scan.gradConstant) == bool(scan.constant);
    return (noState || (scan.gradInitial && sums)) && (noSteps || (factor && scan.h && gradients));
}

} // namespace unroll::kernels
