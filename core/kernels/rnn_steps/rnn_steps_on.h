// SPDX-License-Identifier: GPL-3.0-or-later
// The rnn_steps ops on CUDA. Device: walk(pass, byProducts) takes all steps in one launch or calls byProducts(), where
// torch makes the products, step by step, and each(elements) goes through one step's numbers.
#pragma once

#include "core/kernels/op/weight_gradient.h"
#include "core/kernels/rnn_steps/rnn_steps_op.h"
#include "core/kernels/rnn_steps/rnn_steps_persistent.h"
#include "core/kernels/steps/steps_by_products.h"

namespace unroll::kernels {

template <typename T, class Device>
void walkByProducts(const Device& device, const RnnStepsCall& call, RnnForwardElements<T> step, const at::Tensor& h)
{
    const at::Tensor sums = call.emptyState(), toSums = call.weight.t();
    step.sums = rowsOf<const T>(sums);
    for (std::int64_t position = 0; position < call.steps(); ++position) {
        step.walk = step.at(position);
        multiplyInto(sums, stateBefore(call, h, step.walk), toSums);
        device.each(step);
    }
}

/// The forward walk; `inputs` is u with contiguous rows.
template <typename T, class Device>
void walkSteps(const Device& device, const RnnStepsCall& call, const at::Tensor& inputs, const RnnStepsOutputs& out)
{
    const at::Tensor &h = std::get<0>(out), &last = std::get<1>(out);
    const at::Tensor weight = call.weight.contiguous();
    RnnForwardElements<T> step;
    call.ScanCall::fill(step);
    step.activation = call.activation;
    step.u = rowsOf<const T>(inputs);
    step.initial = rowsOf<const T>(call.initial);
    step.h = rowsOf<T>(h);
    device.walk(RnnForwardPass<T>{step, weight.const_data_ptr<T>()}, [&] { walkByProducts(device, call, step, h); });
    copyOrZero(last, stateBefore(call, h, step.at(call.steps())));
}

template <class Device>
RnnStepsOutputs rnnStepsForwardOn(const RnnStepsOpArguments& in)
{
    const RnnStepsCall call(RnnStepsSpec::name, {"u", in.u}, in);
    const at::Tensor inputs = call.sequence("u", in.u);
    const Device device(call.kind);
    const RnnStepsOutputs out{call.emptySequence(), call.emptyState()};
    withTypes(RealElements{}, call.kind.io,
              [&]<typename Io, typename State>(CallTypes<Io, State>) { walkSteps<State>(device, call, inputs, out); });
    return out;
}

template <typename T, class Device>
void walkBackByProducts(const Device& device, const RnnStepsCall& call, RnnBackwardElements<T> step, at::Tensor carry,
                        const at::Tensor& gradU)
{
    for (std::int64_t position = call.steps() - 1; position >= 0; --position) {
        step.walk = step.at(position);
        device.each(step);
        carry.addmm_(gradU.select(0, step.walk.step), call.weight);
    }
}

/// The backward walk; `carry` is the gradient of the last state, and becomes that of the initial one.
template <typename T, class Device>
void walkBack(const Device& device, const RnnStepsCall& call, const at::Tensor& states, const at::Tensor& onStates,
              const at::Tensor& carry, const at::Tensor& gradU)
{
    const at::Tensor weight = call.weight.contiguous();
    RnnBackwardElements<T> step;
    call.ScanCall::fill(step);
    step.activation = call.activation;
    step.h = rowsOf<const T>(states);
    step.gradH = rowsOf<const T>(onStates);
    step.carry = rowsOf<T>(carry);
    step.gradU = rowsOf<T>(gradU);
    device.walk(RnnBackwardPass<T>{step, weight.const_data_ptr<T>()},
                [&] { walkBackByProducts(device, call, step, carry, gradU); });
}

template <class Device>
RnnStepsGradients rnnStepsBackwardOn(const RnnStepsBackwardArguments& in)
{
    const RnnStepsCall call(ScanOp<RnnStepsSpec>::backwardName(), {"h", in.states}, in.arguments);
    const at::Tensor states = call.sequence("h", in.states), onStates = call.sequence("grad_h", in.arriving[0]);
    const at::Tensor gradU = call.emptySequence(), carry = call.emptyState();
    const Device device(call.kind);
    copyOrZero(carry, call.state("grad_last", in.arriving[1]));
    withTypes(RealElements{}, call.kind.io, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        walkBack<State>(device, call, states, onStates, carry, gradU);
    });
    WeightGradient gradWeight(call.width(), call.width(), call.weight.options());
    gradWeight.addBeforeSteps(gradU, states, call.initial, call.reverse);
    return {gradU, gradWeight.sum(), carry};
}

} // namespace unroll::kernels
