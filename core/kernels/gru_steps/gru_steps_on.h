// SPDX-License-Identifier: GPL-3.0-or-later
// The gru_steps ops where torch makes the products, step by step: CUDA. Device: each(elements) goes through one step's numbers.
#pragma once

#include "core/kernels/common/steps_by_products.h"
#include "core/kernels/gru_steps/gru_steps_elements.h"
#include "core/kernels/gru_steps/gru_steps_tensors.h"

namespace unroll::kernels {

/// What a step is given besides the call, and what it writes.
struct GruForwardTensors {
    at::Tensor u, bias; ///< the bias may be undefined
    at::Tensor h, last;
    at::Tensor kept; ///< (T,B,4d), or of one step that all use
};

template <typename T, class Elements>
Elements forwardElements(const GruStepsCall& call, const GruForwardTensors& in, const at::Tensor& sums,
                         const at::Tensor& candidates)
{
    Elements step;
    call.ScanCall::fill(step);
    step.convention = call.convention;
    step.initial = rowsOf<const T>(call.initial);
    step.u = rowsOf<const T>(in.u);
    step.sums = rowsOf<const T>(sums);
    step.candidates = rowsOf<const T>(candidates);
    step.bias = in.bias.defined() ? in.bias.const_data_ptr<T>() : nullptr;
    step.h = rowsOf<T>(in.h);
    step.kept = rowsOf<T>(in.kept);
    if (in.kept.size(0) < call.steps())
        step.kept.stepStride = 0;
    return step;
}

template <typename T, class Device>
void walkByProducts(const Device& device, const GruStepsCall& call, const GruForwardTensors& tensors)
{
    const at::Tensor toSums = weightOfState(call).t(), toCandidate = rowsOfCandidate(call.weight, call.width()).t();
    const at::Tensor sums = at::empty({call.batch(), toSums.size(1)}, call.weight.options());
    const at::Tensor candidates = call.resetsAfter() ? at::Tensor() : call.emptyState();
    auto reset = forwardElements<T, GruResetElements<T>>(call, tensors, sums, candidates);
    auto mix = forwardElements<T, GruMixElements<T>>(call, tensors, sums, candidates);
    for (std::int64_t position = 0; position < call.steps(); ++position) {
        reset.walk = mix.walk = mix.at(position);
        multiplyInto(sums, stateBefore(call, tensors.h, mix.walk), toSums);
        if (!call.resetsAfter()) {
            device.each(reset);
            const at::Tensor row = tensors.kept.select(0, mix.kept.stepStride == 0 ? 0 : mix.walk.step);
            multiplyInto(candidates, row.narrow(1, (gruKeptParts - 1) * call.width(), call.width()), toCandidate);
        }
        device.each(mix);
    }
    copyOrZero(tensors.last, stateBefore(call, tensors.h, mix.at(call.steps())));
}

template <class Device>
GruStepsOutputs gruStepsForwardByProducts(const at::Tensor& u, const at::Tensor& weight, const MaybeTensor& bias,
                                          const MaybeTensor& initial, const MaybeTensor& mask,
                                          std::string_view convention, bool reverse, bool keeps)
{
    const StepsSequence products{"u", u, gruGates};
    const GruStepsCall call("gru_steps", products, weight, initial, mask, convention, reverse);
    const Device device(call.kind);
    const GruForwardTensors tensors{
        call.wide(products), checkedBias(call, bias), call.emptySequence(), call.emptyState(),
        at::empty({keeps ? call.steps() : 1, call.batch(), gruKeptParts * call.width()}, u.options())};
    withTypes(RealElements{}, call.kind.io,
              [&]<typename Io, typename State>(CallTypes<Io, State>) { walkByProducts<State>(device, call, tensors); });
    return {tensors.h, tensors.last, keeps ? tensors.kept : at::empty({0}, u.options())};
}

/// Likewise of the way back.
struct GruBackwardTensors {
    at::Tensor h, kept;
    at::Tensor gradH;     ///< may be undefined
    at::Tensor carry;     ///< the gradient of the last state, which becomes that of the initial one
    at::Tensor gradients; ///< (T,B,3d) of r, z and n, with ResetAfter (T,B,4d): before them of what is gated
};

template <typename T, class Elements>
Elements backwardElements(const GruStepsCall& call, const GruBackwardTensors& in, const at::Tensor& gradReset)
{
    Elements step;
    call.ScanCall::fill(step);
    step.convention = call.convention;
    step.initial = rowsOf<const T>(call.initial);
    step.h = rowsOf<const T>(in.h);
    step.kept = rowsOf<const T>(in.kept);
    step.gradH = rowsOf<const T>(in.gradH);
    step.gradReset = rowsOf<const T>(gradReset);
    step.carry = rowsOf<T>(in.carry);
    step.gradU = rowsOf<T>(in.gradients, call.resetsAfter() ? call.width() : 0);
    step.gradGated = call.resetsAfter() ? rowsOf<T>(in.gradients) : Rows<T>{};
    return step;
}

template <typename T, class Device>
void walkBackByProducts(const Device& device, const GruStepsCall& call, const GruBackwardTensors& tensors)
{
    const at::Tensor toState = weightOfGradients(call), toReset = rowsOfCandidate(call.weight, call.width());
    const at::Tensor gradReset = call.resetsAfter() ? at::Tensor() : call.emptyState();
    auto candidate = backwardElements<T, GruCandidateGradients<T>>(call, tensors, gradReset);
    auto reset = backwardElements<T, GruResetGradients<T>>(call, tensors, gradReset);
    for (std::int64_t position = call.steps() - 1; position >= 0; --position) {
        reset.walk = candidate.walk = candidate.at(position);
        const at::Tensor gradients = tensors.gradients.select(0, candidate.walk.step);
        device.each(candidate);
        if (!call.resetsAfter()) {
            multiplyInto(gradReset, gradients.narrow(1, 2 * call.width(), call.width()), toReset);
            device.each(reset);
        }
        at::Tensor carry = tensors.carry;
        carry.addmm_(gradients.narrow(1, 0, toState.size(0)), toState);
    }
}

template <class Device>
GruStepsGradients gruStepsBackwardByProducts(const at::Tensor& weight, const MaybeTensor& initial,
                                             const MaybeTensor& mask, const at::Tensor& h, const at::Tensor& kept,
                                             const MaybeTensor& gradH, const MaybeTensor& gradLast,
                                             std::string_view convention, bool reverse)
{
    const GruStepsCall call("gru_steps_backward", {"h", h}, weight, initial, mask, convention, reverse);
    const std::int64_t gated = call.resetsAfter() ? call.width() : 0, width = gruGates * call.width();
    const GruBackwardTensors tensors{call.sequence("h", h), call.wide({"kept", kept, gruKeptParts}),
                                     call.sequence("grad_h", gradH), call.emptyState(),
                                     at::empty({call.steps(), call.batch(), gated + width}, h.options())};
    const Device device(call.kind);
    copyOrZero(tensors.carry, call.state("grad_last", gradLast));
    withTypes(RealElements{}, call.kind.io, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        walkBackByProducts<State>(device, call, tensors);
    });
    return {tensors.gradients.narrow(2, gated, width),
            gradientOfWeight(call, tensors.gradients, tensors.h, tensors.kept),
            gradientOfBias(call, device, tensors.gradients), tensors.carry};
}

} // namespace unroll::kernels
