// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of gated_scan are given: raw views, checked before. T = steps, B = batch, d = width.
#pragma once

#include "core/kernels/common/activation.h"
#include "core/kernels/common/rows.h"

#include <cstdint>

namespace unroll::kernels {

/// Io: type of everything (T,B,d). State: type of everything (B,d), and of the arithmetic; wider than Io for bf16.
template <typename Io, typename State>
struct GatedScanForward {
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0;
    Activation candidate = Activation::Silu;
    bool reverse = false;
    Rows<const Io> forget;     ///< (T,B,d) pre-activations
    Rows<const Io> candidates; ///< (T,B,d)
    Rows<const Io> output;     ///< (T,B,d), or absent: no output gate
    StepMask mask;
    Rows<const State> initial; ///< (B,d), or absent: zeros
    Rows<Io> u;                ///< (T,B,d), written
    Rows<Io> h;                ///< (T,B,d), written
    Rows<State> last;          ///< (B,d), written; carries the state from step to step meanwhile
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct GatedScanBackward {
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0;
    Activation candidate = Activation::Silu;
    bool reverse = false; ///< of the forward pass
    Rows<const Io> forget;
    Rows<const Io> candidates;
    Rows<const Io> output; ///< absent: no output gate
    StepMask mask;
    Rows<const State> initial;
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
    if (scan.steps < 0 || scan.batch < 0 || scan.width < 0)
        return false;
    const bool noState = scan.batch * scan.width == 0;
    const bool noSteps = noState || scan.steps == 0;
    return (noState || scan.last) && (noSteps || (scan.forget && scan.candidates && scan.u && scan.h));
}

template <typename Io, typename State>
bool complete(const GatedScanBackward<Io, State>& scan)
{
    if (scan.steps < 0 || scan.batch < 0 || scan.width < 0)
        return false;
    const bool noState = scan.batch * scan.width == 0;
    const bool noSteps = noState || scan.steps == 0;
    const bool inputs = scan.forget && scan.candidates && scan.h;
    const bool gradients = scan.gradForget && scan.gradCandidates && bool(scan.gradOutput) == bool(scan.output);
    return (noState || scan.gradInitial) && (noSteps || (inputs && gradients));
}

} // namespace unroll::kernels
