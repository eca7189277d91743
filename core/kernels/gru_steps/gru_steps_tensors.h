// SPDX-License-Identifier: GPL-3.0-or-later
// The gru_steps ops on tensors: arguments checked and turned into what the raw kernels are given. CPU only.
#pragma once

#include "core/kernels/common/steps_call.h"
#include "core/kernels/gru_steps/gru_steps_params.h"

#include <string_view>
#include <tuple>

namespace unroll::kernels {

/// "reset_after", "reset_before" or "reset_before_inverted_z".
std::string_view gruConventionName(GruConvention convention);

using GruStepsOutputs = std::tuple<at::Tensor, at::Tensor, at::Tensor>; ///< h, last, kept
/// of u, weight, bias (no elements unless the reset gate acts after the product), initial
using GruStepsGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into. `like` is u, or h in the backward pass.
struct GruStepsCall : StepsCall {
    GruStepsCall(const char* op, const StepsSequence& like, const at::Tensor& weightHh, const MaybeTensor& initialState,
                 const MaybeTensor& stepMask, std::string_view conventionWord, bool reversed);

    bool resetsAfter() const { return convention == GruConvention::ResetAfter; }

    template <typename Io, typename State>
    void fill(GruStepsInputs<Io, State>& p) const
    {
        ScanCall::fill(p);
        p.convention = convention;
        p.initial = rowsOf<const State>(initial);
    }

    GruConvention convention;
};

GruStepsOutputs gruStepsForward(const at::Tensor& u, const at::Tensor& weight, const MaybeTensor& bias,
                                const MaybeTensor& initial, const MaybeTensor& mask, std::string_view convention,
                                bool reverse, bool keeps);

GruStepsGradients gruStepsBackward(const at::Tensor& weight, const MaybeTensor& initial, const MaybeTensor& mask,
                                   const at::Tensor& h, const at::Tensor& kept, const MaybeTensor& gradH,
                                   const MaybeTensor& gradLast, std::string_view convention, bool reverse);

} // namespace unroll::kernels
