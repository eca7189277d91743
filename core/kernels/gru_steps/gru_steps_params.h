// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU half of gru_steps is given: raw views, checked before. T = steps, B = batch, d = width.
#pragma once

#include "core/kernels/cpu/packed_matrix.h"
#include "core/kernels/scan/sequence_domain.h"

namespace unroll::kernels {

/// Where the reset gate acts, and what an open z does.
enum class GruConvention { ResetAfter, ResetBefore, ResetBeforeInvertedZ };

template <typename Io, typename State>
struct GruStepsInputs : SequenceDomain {
    GruConvention convention = GruConvention::ResetAfter;
    Rows<const State> initial; ///< (B,d), or absent: zeros
    /// The weight of r and z, with ResetAfter of n too: forward transposed, (d, 2d or 3d), from the state to the sums;
    /// backward as it is, its rows in the order of the gradients that it multiplies.
    PackedMatrix<State> gates;
    PackedMatrix<State> candidate; ///< (d,d), the weight of n, likewise; none with ResetAfter
};

template <typename Io, typename State>
struct GruStepsForward : GruStepsInputs<Io, State> {
    Rows<const Io> u;            ///< (T,B,3d)
    const State* bias = nullptr; ///< (d), or absent: zeros
    Rows<Io> h;                  ///< (T,B,d), written
    Rows<Io> kept;               ///< (T,B,4d), written, or absent
    Rows<State> last;            ///< (B,d), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct GruStepsBackward : GruStepsInputs<Io, State> {
    Rows<const Io> h; ///< as the forward pass wrote it, and so kept
    Rows<const Io> kept;
    Rows<const Io> gradH;       ///< (T,B,d), or absent: zeros
    Rows<const State> gradLast; ///< (B,d), or absent
    Rows<Io> gradU;             ///< (T,B,3d)
    /// With ResetAfter (T,B,d): of what r gates. Each row of it lies before that of gradU, so that a product reads it
    /// with those of r and z.
    Rows<Io> gradGated;
    Rows<State> gradInitial; ///< (B,d)
};

using GruStepsPass = CpuPass<GruStepsForward, GruStepsBackward, float, double>;

/// One pass over all steps of some sequences, on the calling thread; a column is a sequence. Different threads may take
/// different sequences of the same arrays.
void scanOnCpu(const GruStepsPass& pass, ColumnRange sequences);

} // namespace unroll::kernels
