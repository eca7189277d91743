// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU half of cell_steps is given: raw views, checked before. T = steps, B = batch, d = width, n = d / heads.
#pragma once

#include "core/kernels/cpu/packed_matrix.h"
#include "core/kernels/scan/sequence_domain.h"

namespace unroll::kernels {

/// a is the sum of a gate, s() the logistic function.
enum class StepCell {
    Tanh,         ///< h = tanh(a): Elman 1990; with a diagonal IndRNN (Li et al. 2018)
    Relu,         ///< h = max(a, 0)
    Lstm,         ///< gates i f g o: c = s(f) c + s(i) tanh(g), h = s(o) tanh(c)
    Janet,        ///< gates f g: h = s(f) h + s(beta - f) tanh(g) (van der Westhuizen and Lasenby 2018)
    LiGruTanh,    ///< gates c z: h = s(z) h + (1 - s(z)) tanh(c)
    LiGruRelu,    ///< the same with max(c, 0) (Ravanelli et al. 2018)
    SlstmSigmoid, ///< gates i f z o, parts h c n m: Beck et al. 2024, eq. 8-17, ln of the forget gate = ln s(f)
    SlstmExp,     ///< the same with ln of the forget gate = f
};

struct CellSizes {
    std::int64_t gates; ///< G
    std::int64_t parts; ///< S, of the state
    bool keepsSums;     ///< whether the way back needs them
};

constexpr CellSizes cellSizes(StepCell cell)
{
    switch (cell) {
    case StepCell::Tanh:
    case StepCell::Relu: return {1, 1, false};
    case StepCell::Lstm: return {4, 2, true};
    case StepCell::Janet:
    case StepCell::LiGruTanh:
    case StepCell::LiGruRelu: return {2, 1, true};
    case StepCell::SlstmSigmoid:
    case StepCell::SlstmExp: break;
    }
    return {4, 4, true};
}

template <typename Io, typename State>
struct CellStepsInputs : SequenceDomain {
    StepCell cell = StepCell::Tanh;
    std::int64_t heads = 1;
    State beta = 0;
    /// `heads` of them, forward transposed (n,G n), backward as they are (G n,n); or nullptr: `diagonal` (d) instead.
    const PackedMatrix<State>* weights = nullptr;
    const State* diagonal = nullptr;
    Rows<const State> initial; ///< (B,S d), or absent: zeros
};

template <typename Io, typename State>
struct CellStepsForward : CellStepsInputs<Io, State> {
    Rows<const Io> u; ///< (T,B,G d)
    Rows<Io> h;       ///< (T,B,d), written
    Rows<Io> walked;  ///< (T,B,S d [+ G d]), written
    Rows<State> last; ///< (B,S d), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct CellStepsBackward : CellStepsInputs<Io, State> {
    Rows<const Io> walked;      ///< as the forward pass wrote it
    Rows<const Io> gradH;       ///< (T,B,d), or absent: zeros
    Rows<const Io> gradWalked;  ///< as walked, or absent
    Rows<const State> gradLast; ///< (B,S d), or absent
    Rows<Io> gradU;             ///< (T,B,G d)
    Rows<State> gradInitial;    ///< (B,S d)
};

using CellStepsPass = CpuPass<CellStepsForward, CellStepsBackward, float, double>;

/// One pass over all steps of some sequences, on the calling thread; a column is a sequence. Different threads may take
/// different sequences of the same arrays.
void scanOnCpu(const CellStepsPass& pass, ColumnRange sequences);

} // namespace unroll::kernels
