// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of diag_scan are given: raw views, checked before. T = steps, B = batch, d = width.
#pragma once

#include "core/kernels/scan/complex_pair.h"
#include "core/kernels/scan/scan_domain.h"

namespace unroll::kernels {

/// Io: type of everything (T,B,d). State: type of everything (B,d) or (d), and of the arithmetic; wider than Io for
/// bf16. Exactly one of `a` and `constant` is there.
template <typename Io, typename State>
struct DiagScanInputs : ScanDomain {
    Rows<const Io> a;           ///< (T,B,d)
    Rows<const State> constant; ///< (d): both strides 0
    Rows<const State> initial;  ///< (B,d), or absent: zeros
};

template <typename Io, typename State>
struct DiagScanForward : DiagScanInputs<Io, State> {
    Rows<const Io> b; ///< (T,B,d)
    Rows<Io> h;       ///< (T,B,d), written
    Rows<State> last; ///< (B,d), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct DiagScanBackward : DiagScanInputs<Io, State> {
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
    return scan.holds(bool(scan.last), bool(scan.a) != bool(scan.constant) && scan.b && scan.h);
}

template <typename Io, typename State>
bool complete(const DiagScanBackward<Io, State>& scan)
{
    const bool factor = bool(scan.a) != bool(scan.constant);
    const bool sums = bool(scan.gradConstant) == bool(scan.constant);
    return scan.holds(scan.gradInitial && sums, factor && scan.h && scan.gradB && bool(scan.gradA) == bool(scan.a));
}

using DiagScanPass = CpuPass<DiagScanForward, DiagScanBackward, float, double, ComplexPair<float>, ComplexPair<double>>;

/// One pass over all steps of some columns, on the calling thread. Different threads may take different columns of the
/// same arrays.
void scanOnCpu(const DiagScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
