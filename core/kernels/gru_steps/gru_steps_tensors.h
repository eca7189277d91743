// SPDX-License-Identifier: GPL-3.0-or-later
// The gru_steps ops on the CPU: arguments checked and turned into what the raw kernels are given; and what they share
// with other devices.
#pragma once

#include "core/kernels/gru_steps/gru_steps_params.h"
#include "core/kernels/op/steps_call.h"

#include <ATen/ops/empty.h>

#include <string_view>
#include <tuple>

namespace unroll::kernels {

/// "reset_after", "reset_before" or "reset_before_inverted_z".
std::string_view gruConventionName(GruConvention convention);

using GruStepsOutputs = std::tuple<at::Tensor, at::Tensor, at::Tensor>; ///< h, last, kept
/// of u, weight, bias (no elements unless the reset gate acts after the product), initial
using GruStepsGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into. `like` is u, or h in
/// the backward pass.
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

inline constexpr std::int64_t kGruGates = 3;
inline constexpr std::int64_t kGruKeptParts = 4;

/// (d), contiguous, or undefined where absent. Throws where the convention has no place for it.
at::Tensor checkedBias(const GruStepsCall& call, const MaybeTensor& bias);

/// A weight's rows of r and z, and of n.
at::Tensor rowsOfGates(const at::Tensor& weight, std::int64_t width);
at::Tensor rowsOfCandidate(const at::Tensor& weight, std::int64_t width);

/// The weight that is multiplied to the state itself: of r and z, with ResetAfter of n too.
at::Tensor weightOfState(const GruStepsCall& call);

/// The weight that the state's gradient goes back through at once, its rows in the order in which the gradients lie:
/// with ResetAfter those of what is gated, r and z; else of r and z.
at::Tensor weightOfGradients(const GruStepsCall& call);

/// Of the gradients (T, B, parts d): with ResetAfter those of what is gated, r, z and n; else of r, z and n.
at::Tensor gradientOfWeight(const GruStepsCall& call, const at::Tensor& gradients, const at::Tensor& h,
                            const at::Tensor& kept);

/// Of the same gradients; no elements unless the reset gate acts after the product.
template <class Device>
at::Tensor gradientOfBias(const GruStepsCall& call, const Device& device, const at::Tensor& gradients)
{
    const at::Tensor out = at::empty({call.resetsAfter() ? call.width() : 0}, call.weight.options());
    if (call.resetsAfter())
        device.sumOverBatch(gradients.flatten(0, 1).narrow(1, 0, call.width()), out);
    return out;
}

GruStepsOutputs gruStepsForward(const at::Tensor& u, const at::Tensor& weight, const MaybeTensor& bias,
                                const MaybeTensor& initial, const MaybeTensor& mask, std::string_view convention,
                                bool reverse, bool keeps);

GruStepsGradients gruStepsBackward(const at::Tensor& weight, const MaybeTensor& initial, const MaybeTensor& mask,
                                   const at::Tensor& h, const at::Tensor& kept, const MaybeTensor& gradH,
                                   const MaybeTensor& gradLast, std::string_view convention, bool reverse);

} // namespace unroll::kernels
