// SPDX-License-Identifier: GPL-3.0-or-later
// What the rnn_steps ops are: their arguments, checked and turned into what the raw kernels are given.
#pragma once

#include "core/kernels/op/scan_op.h"
#include "core/kernels/op/steps_call.h"
#include "core/kernels/rnn_steps/rnn_steps_params.h"

#include <string_view>

namespace unroll::kernels {

/// "tanh" or "relu".
std::string_view rnnActivationName(RnnActivation activation);

/// As the schema has them: rnn_steps.h says what they are.
struct RnnStepsOpArguments {
    at::Tensor u, weight;
    MaybeTensor initial, mask;
    std::string activation = "tanh";
    bool reverse = false;
};

struct RnnStepsSpec {
    static constexpr const char* name = "rnn_steps";
    using Arguments = RnnStepsOpArguments;
    static constexpr auto fields =
        std::tuple(field::forwardInput("u", &Arguments::u), field::input("weight", &Arguments::weight),
                   field::initial(&Arguments::initial), field::mask(&Arguments::mask),
                   field::option("activation", &Arguments::activation), field::option("reverse", &Arguments::reverse));
    static constexpr const char* sequences[] = {"h"};

    static SymbolicSequence symbolicSequence(const Arguments& in);
};

using RnnStepsOutputs = ScanOutputs<RnnStepsSpec>;         ///< h, last
using RnnStepsGradients = ScanOp<RnnStepsSpec>::Gradients; ///< of u, weight, initial
using RnnStepsBackwardArguments = ScanOp<RnnStepsSpec>::BackwardArguments;

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into. `like` is u, or h in
/// the backward pass.
struct RnnStepsCall : StepsCall {
    RnnStepsCall(const char* op, const StepsSequence& like, const RnnStepsOpArguments& in);

    template <typename Io, typename State>
    void fill(RnnStepsInputs<Io, State>& p) const
    {
        ScanCall::fill(p);
        p.activation = activation;
        p.initial = rowsOf<const State>(initial);
    }

    RnnActivation activation;
};

class OnCpu;

template <>
RnnStepsOutputs scanForward<RnnStepsSpec, OnCpu>(const RnnStepsOpArguments& in);
template <>
RnnStepsGradients scanBackward<RnnStepsSpec, OnCpu>(const RnnStepsBackwardArguments& in);

} // namespace unroll::kernels
