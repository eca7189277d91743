// SPDX-License-Identifier: GPL-3.0-or-later
// The rnn_steps ops on tensors: arguments checked and turned into what the raw kernels are given. On the CPU.
#pragma once

#include "core/kernels/common/steps_call.h"
#include "core/kernels/rnn_steps/rnn_steps_params.h"

#include <string_view>
#include <tuple>

namespace unroll::kernels {

/// "tanh" or "relu".
std::string_view rnnActivationName(RnnActivation activation);

using RnnStepsOutputs = std::tuple<at::Tensor, at::Tensor>;               ///< h, last
using RnnStepsGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>; ///< of u, weight, initial

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into. `like` is u, or h in the backward pass.
struct RnnStepsCall : StepsCall {
    RnnStepsCall(const char* op, const StepsSequence& like, const at::Tensor& weightHh, const MaybeTensor& initialState,
                 const MaybeTensor& stepMask, std::string_view activationWord, bool reversed);

    template <typename Io, typename State>
    void fill(RnnStepsInputs<Io, State>& p) const
    {
        ScanCall::fill(p);
        p.activation = activation;
        p.initial = rowsOf<const State>(initial);
    }

    RnnActivation activation;
};

RnnStepsOutputs rnnStepsForward(const at::Tensor& u, const at::Tensor& weight, const MaybeTensor& initial,
                                const MaybeTensor& mask, std::string_view activation, bool reverse);

RnnStepsGradients rnnStepsBackward(const at::Tensor& weight, const MaybeTensor& initial, const MaybeTensor& mask,
                                   const at::Tensor& h, const MaybeTensor& gradH, const MaybeTensor& gradLast,
                                   std::string_view activation, bool reverse);

} // namespace unroll::kernels
