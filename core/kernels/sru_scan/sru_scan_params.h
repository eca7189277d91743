// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of sru_scan are given: raw views, checked before. T = steps, B = batch, d = width.
#pragma once

#include "core/kernels/op/activation.h"
#include "core/kernels/scan/scan_domain.h"

namespace unroll::kernels {

/// Inputs of both passes. Io: type of everything (T,B,d). State: type of states, weights and arithmetic; wider than Io
/// for bf16.
template <typename Io, typename State>
struct SruScanInputs : ScanDomain {
    Activation activation = Activation::Identity;
    State skipScale = 1;                 ///< x' = skipScale * skip
    Rows<const Io> candidate;            ///< u0, (T,B,d)
    Rows<const Io> forget;               ///< u1
    Rows<const Io> reset;                ///< u2
    Rows<const Io> skip;                 ///< u3 or x, or absent: x' = 0
    const State* forgetWeight = nullptr; ///< (d), and so the next three
    const State* resetWeight = nullptr;
    const State* forgetBias = nullptr;
    const State* resetBias = nullptr;
    Rows<const State> dropout; ///< (B,d) factors on (act(c) - x'), or absent: ones
    Rows<const State> initial; ///< (B,d), or absent: zeros
};

template <typename Io, typename State>
struct SruScanForward : SruScanInputs<Io, State> {
    Rows<Io> h;       ///< (T,B,d), written
    Rows<Io> c;       ///< (T,B,d), written
    Rows<State> last; ///< (B,d), written; carries the state from step to step meanwhile
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct SruScanBackward : SruScanInputs<Io, State> {
    Rows<const Io> c;           ///< as the forward pass wrote it
    Rows<const Io> gradH;       ///< (T,B,d), or absent: zeros
    Rows<const Io> gradC;       ///< (T,B,d), or absent
    Rows<const State> gradLast; ///< (B,d), or absent
    Rows<Io> gradCandidate;     ///< (T,B,d), and so the next three
    Rows<Io> gradForget;
    Rows<Io> gradReset;
    Rows<Io> gradSkip;       ///< absent exactly where `skip` is
    Rows<State> gradInitial; ///< (B,d), written; carries the state's gradient from step to step meanwhile
    /// (B,4,d), written: forget weight, reset weight, forget bias, reset bias, summed over the steps of each sequence.
    /// The batch is summed afterwards in a fixed order.
    State* gradWeights = nullptr;

    UNROLL_HOST_DEVICE State* gradWeightRow(std::int64_t b, int which) const
    {
        return gradWeights + (b * 4 + which) * this->width;
    }
};

/// Whether sizes make sense and every array that the pass needs is there: `states` and `sequences` say so of those of
/// its own.
template <typename Io, typename State>
bool complete(const SruScanInputs<Io, State>& scan, bool states, bool sequences)
{
    const bool weights = scan.forgetWeight && scan.resetWeight && scan.forgetBias && scan.resetBias;
    const bool inputs = scan.candidate && scan.forget && scan.reset;
    const bool offered = scan.activation == Activation::Identity || scan.activation == Activation::Tanh;
    return offered && scan.holds(weights && states, inputs && sequences);
}

template <typename Io, typename State>
bool complete(const SruScanForward<Io, State>& scan)
{
    return complete(scan, bool(scan.last), scan.h && scan.c);
}

template <typename Io, typename State>
bool complete(const SruScanBackward<Io, State>& scan)
{
    const bool gradients =
        scan.gradCandidate && scan.gradForget && scan.gradReset && bool(scan.gradSkip) == bool(scan.skip);
    return complete(scan, scan.gradInitial && scan.gradWeights != nullptr, scan.c && gradients);
}

using SruScanPass = CpuPass<SruScanForward, SruScanBackward, float, double>;

/// One pass over all steps of some columns, on the calling thread. Different threads may take different columns of the
/// same arrays.
void scanOnCpu(const SruScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
