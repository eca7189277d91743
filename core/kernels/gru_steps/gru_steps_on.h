// SPDX-License-Identifier: GPL-3.0-or-later
// The gru_steps ops on CUDA. Device: walk(pass, byProducts) takes all steps in one launch or calls byProducts(), where
// torch makes the products, step by step, and each(elements) goes through one step's numbers.
#pragma once

#include "core/kernels/gru_steps/gru_steps_persistent.h"
#include "core/kernels/gru_steps/gru_steps_tensors.h"
#include "core/kernels/steps/steps_by_products.h"

namespace unroll::kernels {

/// What a step is given besides the call, and what it writes.
struct GruForwardTensors {
    at::Tensor u, bias; ///< the bias may be undefined
    at::Tensor h, last;
    at::Tensor kept; ///< (T,B,4d), or of one step that all use
};

template <typename T>
GruForwardElements<T> forwardElements(const GruStepsCall& call, const GruForwardTensors& in)
{
    GruForwardElements<T> step;
    call.ScanCall::fill(step);
    step.convention = call.convention;
    step.initial = rowsOf<const T>(call.initial);
    step.u = rowsOf<const T>(in.u);
    step.bias = in.bias.defined() ? in.bias.const_data_ptr<T>() : nullptr;
    step.h = rowsOf<T>(in.h);
    step.kept = rowsOf<T>(in.kept);
    if (in.kept.size(0) < call.steps())
        step.kept.stepStride = 0;
    return step;
}

template <typename T, class Device>
void walkByProducts(const Device& device, const GruStepsCall& call, const GruForwardTensors& tensors,
                    GruForwardElements<T> elements)
{
    const at::Tensor toSums = weightOfState(call).t(), toCandidate = rowsOfCandidate(call.weight, call.width()).t();
    const at::Tensor sums = at::empty({call.batch(), toSums.size(1)}, call.weight.options());
    const at::Tensor candidates = call.resetsAfter() ? at::Tensor() : call.emptyState();
    elements.sums = rowsOf<const T>(sums);
    elements.candidates = rowsOf<const T>(candidates);
    GruResetElements<T> reset{elements};
    GruMixElements<T> mix{elements};
    for (std::int64_t position = 0; position < call.steps(); ++position) {
        reset.walk = mix.walk = mix.at(position);
        multiplyInto(sums, stateBefore(call, tensors.h, mix.walk), toSums);
        if (!call.resetsAfter()) {
            device.each(reset);
            const at::Tensor row = tensors.kept.select(0, mix.kept.stepStride == 0 ? 0 : mix.walk.step);
            multiplyInto(candidates, row.narrow(1, (kGruKeptParts - 1) * call.width(), call.width()), toCandidate);
        }
        device.each(mix);
    }
}

template <typename T, class Device>
void walkSteps(const Device& device, const GruStepsCall& call, const GruForwardTensors& tensors)
{
    const at::Tensor weight = call.weight.contiguous();
    const auto elements = forwardElements<T>(call, tensors);
    const auto byProducts = [&] { walkByProducts<T>(device, call, tensors, elements); };
    if (call.resetsAfter())
        device.walk(GruForwardPass<T, true>{elements, weight.const_data_ptr<T>()}, byProducts);
    else
        device.walk(GruForwardPass<T, false>{elements, weight.const_data_ptr<T>()}, byProducts);
    copyOrZero(tensors.last, stateBefore(call, tensors.h, elements.at(call.steps())));
}

template <class Device>
GruStepsOutputs gruStepsForwardOn(const at::Tensor& u, const at::Tensor& weight, const MaybeTensor& bias,
                                  const MaybeTensor& initial, const MaybeTensor& mask, std::string_view convention,
                                  bool reverse, bool keeps)
{
    const StepsSequence products{"u", u, kGruGates};
    const GruStepsCall call("gru_steps", products, weight, initial, mask, convention, reverse);
    const Device device(call.kind);
    const GruForwardTensors tensors{
        call.wide(products), checkedBias(call, bias), call.emptySequence(), call.emptyState(),
        at::empty({keeps ? call.steps() : 1, call.batch(), kGruKeptParts * call.width()}, u.options())};
    withTypes(RealElements{}, call.kind.io,
              [&]<typename Io, typename State>(CallTypes<Io, State>) { walkSteps<State>(device, call, tensors); });
    return {tensors.h, tensors.last, keeps ? tensors.kept : at::empty({0}, u.options())};
}

/// Likewise of the way back.
struct GruBackwardTensors {
    at::Tensor h, kept;
    at::Tensor gradH;     ///< may be undefined
    at::Tensor carry;     ///< the gradient of the last state, which becomes that of the initial one
    at::Tensor gradients; ///< (T,B,3d) of r, z and n, with ResetAfter (T,B,4d): before them of what is gated
};

template <typename T>
GruBackwardElements<T> backwardElements(const GruStepsCall& call, const GruBackwardTensors& in)
{
    GruBackwardElements<T> step;
    call.ScanCall::fill(step);
    step.convention = call.convention;
    step.initial = rowsOf<const T>(call.initial);
    step.h = rowsOf<const T>(in.h);
    step.kept = rowsOf<const T>(in.kept);
    step.gradH = rowsOf<const T>(in.gradH);
    step.carry = rowsOf<T>(in.carry);
    step.gradU = rowsOf<T>(in.gradients, call.resetsAfter() ? call.width() : 0);
    step.gradGated = call.resetsAfter() ? rowsOf<T>(in.gradients) : Rows<T>{};
    return step;
}

template <typename T, class Device>
void walkBackByProducts(const Device& device, const GruStepsCall& call, const GruBackwardTensors& tensors,
                        GruBackwardElements<T> elements)
{
    const at::Tensor toState = weightOfGradients(call), toReset = rowsOfCandidate(call.weight, call.width());
    const at::Tensor gradReset = call.resetsAfter() ? at::Tensor() : call.emptyState();
    elements.gradReset = rowsOf<const T>(gradReset);
    GruCandidateGradients<T> candidate{elements};
    GruResetGradients<T> reset{elements};
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

template <typename T, class Device>
void walkBack(const Device& device, const GruStepsCall& call, const GruBackwardTensors& tensors)
{
    const at::Tensor toState = weightOfGradients(call).contiguous();
    const at::Tensor toReset = rowsOfCandidate(call.weight, call.width()).contiguous();
    const auto elements = backwardElements<T>(call, tensors);
    const auto byProducts = [&] { walkBackByProducts<T>(device, call, tensors, elements); };
    if (call.resetsAfter())
        device.walk(GruBackwardPass<T, true>{elements, toState.const_data_ptr<T>()}, byProducts);
    else
        device.walk(GruBackwardPass<T, false>{elements, toState.const_data_ptr<T>(), toReset.const_data_ptr<T>()},
                    byProducts);
}

template <class Device>
GruStepsGradients gruStepsBackwardOn(const at::Tensor& weight, const MaybeTensor& initial, const MaybeTensor& mask,
                                     const at::Tensor& h, const at::Tensor& kept, const MaybeTensor& gradH,
                                     const MaybeTensor& gradLast, std::string_view convention, bool reverse)
{
    const GruStepsCall call("gru_steps_backward", {"h", h}, weight, initial, mask, convention, reverse);
    const std::int64_t gated = call.resetsAfter() ? call.width() : 0, width = kGruGates * call.width();
    const GruBackwardTensors tensors{call.sequence("h", h), call.wide({"kept", kept, kGruKeptParts}),
                                     call.sequence("grad_h", gradH), call.emptyState(),
                                     at::empty({call.steps(), call.batch(), gated + width}, h.options())};
    const Device device(call.kind);
    copyOrZero(tensors.carry, call.state("grad_last", gradLast));
    withTypes(RealElements{}, call.kind.io,
              [&]<typename Io, typename State>(CallTypes<Io, State>) { walkBack<State>(device, call, tensors); });
    return {tensors.gradients.narrow(2, gated, width),
            gradientOfWeight(call, tensors.gradients, tensors.h, tensors.kept),
            gradientOfBias(call, device, tensors.gradients), tensors.carry};
}

} // namespace unroll::kernels
