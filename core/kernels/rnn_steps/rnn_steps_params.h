// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU half of rnn_steps is given: raw views, checked before. T = steps, B = batch, d = width.
#pragma once

#include "core/kernels/cpu/packed_matrix.h"
#include "core/kernels/scan/sequence_domain.h"

namespace unroll::kernels {

enum class RnnActivation { Tanh, Relu };

template <typename Io, typename State>
struct RnnStepsInputs : SequenceDomain {
    RnnActivation activation = RnnActivation::Tanh;
    Rows<const State> initial; ///< (B,d), or absent: zeros
};

template <typename Io, typename State>
struct RnnStepsForward : RnnStepsInputs<Io, State> {
    Rows<const Io> u;           ///< (T,B,d)
    PackedMatrix<State> weight; ///< transposed: from the state before to the sums
    Rows<Io> h;                 ///< (T,B,d), written
    Rows<State> last;           ///< (B,d), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct RnnStepsBackward : RnnStepsInputs<Io, State> {
    PackedMatrix<State> weight; ///< as it is: from the gradient of the sums to that of the state before
    Rows<const Io> h;           ///< as the forward pass wrote it
    Rows<const Io> gradH;       ///< (T,B,d), or absent: zeros
    Rows<const State> gradLast; ///< (B,d), or absent
    Rows<Io> gradU;             ///< (T,B,d)
    Rows<State> gradInitial;    ///< (B,d)
};

using RnnStepsPass = CpuPass<RnnStepsForward, RnnStepsBackward, float, double>;

/// One pass over all steps of some sequences, on the calling thread; a column is a sequence. Different threads may take
/// different sequences of the same arrays.
void scanOnCpu(const RnnStepsPass& pass, ColumnRange sequences);

} // namespace unroll::kernels
