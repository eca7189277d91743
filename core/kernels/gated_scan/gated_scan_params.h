// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of gated_scan are given: raw views, checked before. T = steps, B = batch, d = width.
#pragma once

#include "core/kernels/op/activation.h"
#include "core/kernels/scan/scan_domain.h"

namespace unroll::kernels {

/// Io: type of everything (T,B,d). State: type of everything (B,d), and of the arithmetic; wider than Io for bf16.
template <typename Io, typename State>
struct GatedScanInputs : ScanDomain {
    Activation candidate = Activation::Silu;
    Rows<const Io> forget;     ///< (T,B,d) pre-activations
    Rows<const Io> candidates; ///< (T,B,d)
    Rows<const Io> output;     ///< (T,B,d), or absent: no output gate
    Rows<const State> initial; ///< (B,d), or absent: zeros
};

template <typename Io, typename State>
struct GatedScanForward : GatedScanInputs<Io, State> {
    Rows<Io> u;       ///< (T,B,d), written
    Rows<Io> h;       ///< (T,B,d), written
    Rows<State> last; ///< (B,d), written; carries the state from step to step meanwhile
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct GatedScanBackward : GatedScanInputs<Io, State> {
    Rows<const Io> h;           ///< as the forward pass wrote it
    Rows<const Io> gradU;       ///< (T,B,d), or absent: zeros
    Rows<const Io> gradH;       ///< (T,B,d), or absent
    Rows<const State> gradLast; ///< (B,d), or absent
    Rows<Io> gradForget;        ///< (T,B,d)
    Rows<Io> gradCandidates;    ///< (T,B,d)
    Rows<Io> gradOutput;        ///< (T,B,d), absent exactly where `output` is
    Rows<State> gradInitial;    ///< (B,d), written; carries the state's gradient from step to step meanwhile
};

/// Whether sizes make sense and every array that the pass needs is there.
template <typename Io, typename State>
bool complete(const GatedScanForward<Io, State>& scan)
{
    return scan.holds(bool(scan.last), scan.forget && scan.candidates && scan.u && scan.h);
}

template <typename Io, typename State>
bool complete(const GatedScanBackward<Io, State>& scan)
{
    const bool inputs = scan.forget && scan.candidates && scan.h;
    const bool gradients = scan.gradForget && scan.gradCandidates && bool(scan.gradOutput) == bool(scan.output);
    return scan.holds(bool(scan.gradInitial), inputs && gradients);
}

using GatedScanPass = CpuPass<GatedScanForward, GatedScanBackward, float, double>;

/// One pass over all steps of some columns, on the calling thread. Different threads may take different columns of the
/// same arrays.
void scanOnCpu(const GatedScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
