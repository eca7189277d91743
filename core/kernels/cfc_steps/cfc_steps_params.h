// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU half of cfc_steps is given: raw views, checked before. T = steps, B = batch, d = width of the state,
// p = width of the backbone.
#pragma once

#include "core/kernels/cpu/packed_matrix.h"
#include "core/kernels/scan/sequence_domain.h"

namespace unroll::kernels {

/// Of the backbone.
enum class CfcActivation {
    LecunTanh, ///< 1.7159 tanh(0.666 a)
    Tanh,
    Relu,
    Silu, ///< a s(a)
};

inline constexpr std::int64_t kCfcHeads = 4; ///< two candidates, and the two parts of the time gate

template <typename Io, typename State>
struct CfcStepsInputs : SequenceDomain {
    std::int64_t backbone = 0; ///< p
    CfcActivation activation = CfcActivation::LecunTanh;
    bool isGated = true;
    PackedMatrix<State> ofState; ///< forward transposed (d,p), backward as it is (p,d)
    PackedMatrix<State> heads;   ///< forward transposed (p,4d), backward as it is (4d,p)
    Rows<const State> initial;   ///< (B,d), or absent: zeros
    Rows<const Io> time;         ///< (T,B,d), or absent: ones

    std::int64_t headsWidth() const { return kCfcHeads * width; }
};

template <typename Io, typename State>
struct CfcStepsForward : CfcStepsInputs<Io, State> {
    Rows<const Io> u;            ///< (T,B,p)
    const State* bias = nullptr; ///< (4d)
    Rows<Io> h;                  ///< (T,B,d), written
    Rows<Io> walked;             ///< (T,B,d+p+4d), written: h, the sums of the backbone, those of the heads
    Rows<State> last;            ///< (B,d), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct CfcStepsBackward : CfcStepsInputs<Io, State> {
    Rows<const Io> walked;      ///< as the forward pass wrote it
    Rows<const Io> gradH;       ///< (T,B,d), or absent: zeros
    Rows<const Io> gradWalked;  ///< as walked, or absent
    Rows<const State> gradLast; ///< (B,d), or absent
    Rows<Io> gradU;             ///< (T,B,p)
    Rows<Io> gradTime;          ///< (T,B,d), or absent
    Rows<Io> gradSums;          ///< (T,B,4d): those of the heads
    Rows<Io> features;          ///< (T,B,p): what the backbone gave
    Rows<State> gradInitial;    ///< (B,d)
};

using CfcStepsPass = CpuPass<CfcStepsForward, CfcStepsBackward, float, double>;

/// One pass over all steps of some sequences, on the calling thread; a column is a sequence. Different threads may take
/// different sequences of the same arrays.
void scanOnCpu(const CfcStepsPass& pass, ColumnRange sequences);

} // namespace unroll::kernels
