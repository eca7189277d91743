// SPDX-License-Identifier: GPL-3.0-or-later
// What the cell_steps ops are: their arguments, checked and turned into what the raw kernels are given.
#pragma once

#include "core/kernels/cell_steps/cell_steps_params.h"
#include "core/kernels/op/scan_op.h"
#include "core/kernels/op/weight_gradient.h"

#include <string_view>

namespace unroll::kernels {

/// "tanh", "relu", "lstm", "janet", "ligru_tanh", "ligru_relu", "slstm" or "slstm_exp".
std::string_view stepCellName(StepCell cell);

/// As the schema has them: cell_steps.h says what they are.
struct CellStepsOpArguments {
    at::Tensor u, weight;
    MaybeTensor initial, mask;
    std::string cell = "tanh";
    double beta = 0;
    bool reverse = false;
};

struct CellStepsSpec {
    static constexpr const char* name = "cell_steps";
    using Arguments = CellStepsOpArguments;
    static constexpr auto fields = std::tuple(
        field::forwardInput("u", &Arguments::u), field::input("weight", &Arguments::weight),
        field::initial(&Arguments::initial), field::mask(&Arguments::mask), field::option("cell", &Arguments::cell),
        field::option("beta", &Arguments::beta), field::option("reverse", &Arguments::reverse));
    static constexpr const char* sequences[] = {"h", "walked"};

    /// Of the output of that index.
    static SymbolicSequence symbolicSequence(const Arguments& in, std::size_t output);
    static std::vector<c10::SymInt> symbolicState(const Arguments& in, const at::Tensor& sequence);
    /// Sizes of u.
    static std::vector<c10::SymInt> symbolicForwardInput(const Arguments& in, const at::Tensor& walked);
};

using CellStepsOutputs = ScanOutputs<CellStepsSpec>;         ///< h, walked, last
using CellStepsGradients = ScanOp<CellStepsSpec>::Gradients; ///< of u, weight, initial
using CellStepsBackwardArguments = ScanOp<CellStepsSpec>::BackwardArguments;

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into. `like` is u, or
/// walked in the backward pass, and sets the type, the steps and the batch.
struct CellStepsCall {
    CellStepsCall(const char* op, const char* likeName, const at::Tensor& like, const CellStepsOpArguments& in);

    /// Packs the weight's heads, each as it is or transposed: before fill().
    void pack(bool transposed);

    at::Tensor gradientOfWeight(const at::Tensor& gradU, const at::Tensor& walked) const;

    std::int64_t gatesWidth() const { return sizes.gates * width; }
    std::int64_t stateWidth() const { return sizes.parts * width; }
    std::int64_t walkedWidth() const { return stateWidth() + (sizes.keepsSums ? gatesWidth() : 0); }

    template <typename Io, typename State>
    void fill(CellStepsInputs<Io, State>& p) const
    {
        scan.fill(p);
        p.width = width;
        p.cell = cell;
        p.heads = heads;
        p.beta = static_cast<State>(beta);
        p.initial = rowsOf<const State>(scan.initial);
        p.weights = std::get<Matrices<State>>(views).data();
        p.diagonal = diagonal.defined() ? diagonal.const_data_ptr<State>() : nullptr;
    }

    StepCell cell;
    CellSizes sizes;
    std::int64_t width, heads;
    double beta;
    at::Tensor weight;
    ScanCall scan;       ///< steps, batch and the state's width
    at::Tensor diagonal; ///< undefined where the weight has heads

private:
    template <typename T>
    using Matrices = std::vector<PackedMatrix<T>>;
    std::vector<PackedWeight> packed;
    std::tuple<Matrices<float>, Matrices<double>> views;
};

class OnCpu;

template <>
CellStepsOutputs scanForward<CellStepsSpec, OnCpu>(const CellStepsOpArguments& in);
template <>
CellStepsGradients scanBackward<CellStepsSpec, OnCpu>(const CellStepsBackwardArguments& in);

} // namespace unroll::kernels
