// SPDX-License-Identifier: GPL-3.0-or-later
// The rnn_steps ops where torch makes the products, step by step: CUDA. Device: each(elements) goes through one step's numbers.
#pragma once

#include "core/kernels/common/steps_by_products.h"
#include "core/kernels/common/weight_gradient.h"
#include "core/kernels/rnn_steps/rnn_steps_elements.h"
#include "core/kernels/rnn_steps/rnn_steps_tensors.h"

namespace unroll::kernels {

/// The forward walk; `inputs` is u with contiguous rows.
template <typename T, class Device>
void walkByProducts(const Device& device, const RnnStepsCall& call, const at::Tensor& inputs,
                    const RnnStepsOutputs& out)
{
    const auto& [h, last] = out;
    const at::Tensor sums = call.emptyState(), toSums = call.weight.t();
    RnnForwardElements<T> step;
    call.ScanCall::fill(step);
    step.activation = call.activation;
    step.u = rowsOf<const T>(inputs);
    step.initial = rowsOf<const T>(call.initial);
    step.sums = rowsOf<const T>(sums);
    step.h = rowsOf<T>(h);
    for (std::int64_t position = 0; position < call.steps(); ++position) {
        step.walk = step.at(position);
        multiplyInto(sums, stateBefore(call, h, step.walk), toSums);
        device.each(step);
    }
    copyOrZero(last, stateBefore(call, h, step.at(call.steps())));
}

template <class Device>
RnnStepsOutputs rnnStepsForwardByProducts(const at::Tensor& u, const at::Tensor& weight, const MaybeTensor& initial,
                                          const MaybeTensor& mask, std::string_view activation, bool reverse)
{
    const RnnStepsCall call("rnn_steps", {"u", u}, weight, initial, mask, activation, reverse);
    const at::Tensor inputs = call.sequence("u", u);
    const Device device(call.kind);
    const RnnStepsOutputs out{call.emptySequence(), call.emptyState()};
    withTypes(RealElements{}, call.kind.io, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        walkByProducts<State>(device, call, inputs, out);
    });
    return out;
}

/// The backward walk; `carry` is the gradient of the last state, and becomes that of the initial one.
template <typename T, class Device>
void walkBackByProducts(const Device& device, const RnnStepsCall& call, const at::Tensor& states,
                        const at::Tensor& onStates, at::Tensor carry, const at::Tensor& gradU)
{
    RnnBackwardElements<T> step;
    call.ScanCall::fill(step);
    step.activation = call.activation;
    step.h = rowsOf<const T>(states);
    step.gradH = rowsOf<const T>(onStates);
    step.carry = rowsOf<T>(carry);
    step.gradU = rowsOf<T>(gradU);
    for (std::int64_t position = call.steps() - 1; position >= 0; --position) {
        step.walk = step.at(position);
        device.each(step);
        carry.addmm_(gradU.select(0, step.walk.step), call.weight);
    }
}

template <class Device>
RnnStepsGradients rnnStepsBackwardByProducts(const at::Tensor& weight, const MaybeTensor& initial,
                                             const MaybeTensor& mask, const at::Tensor& h, const MaybeTensor& gradH,
                                             const MaybeTensor& gradLast, std::string_view activation, bool reverse)
{
    const RnnStepsCall call("rnn_steps_backward", {"h", h}, weight, initial, mask, activation, reverse);
    const at::Tensor states = call.sequence("h", h), onStates = call.sequence("grad_h", gradH);
    const at::Tensor gradU = call.emptySequence(), carry = call.emptyState();
    const Device device(call.kind);
    copyOrZero(carry, call.state("grad_last", gradLast));
    withTypes(RealElements{}, call.kind.io, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        walkBackByProducts<State>(device, call, states, onStates, carry, gradU);
    });
    WeightGradient gradWeight(call.width(), call.width(), call.weight.options());
    gradWeight.addBeforeSteps(gradU, states, call.initial, reverse);
    return {gradU, gradWeight.sum(), carry};
}

} // namespace unroll::kernels
