// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rnn_steps/rnn_steps_tensors.h"

#include "core/kernels/common/on_cpu.h"
#include "core/kernels/common/weight_gradient.h"
#include "core/kernels/rnn_steps/rnn_steps_cpu.h"

#include <c10/util/Exception.h>

namespace unroll::kernels {

std::string_view rnnActivationName(RnnActivation activation)
{
    return activation == RnnActivation::Tanh ? "tanh" : "relu";
}

namespace {

RnnActivation activationNamed(const char* op, std::string_view word)
{
    for (RnnActivation activation : {RnnActivation::Tanh, RnnActivation::Relu})
        if (word == rnnActivationName(activation))
            return activation;
    TORCH_CHECK(false, op, ": activation is \"", word, "\", expected tanh or relu");
}

} // namespace

RnnStepsCall::RnnStepsCall(const char* op, const StepsSequence& like, const at::Tensor& weightHh,
                           const MaybeTensor& initialState, const MaybeTensor& maskTensor,
                           std::string_view activationWord, bool reversed)
    : StepsCall(op, like, weightHh, 1, initialState, maskTensor, reversed),
      activation(activationNamed(op, activationWord))
{}

RnnStepsOutputs rnnStepsForward(const at::Tensor& u, const at::Tensor& weight, const MaybeTensor& initial,
                                const MaybeTensor& mask, std::string_view activation, bool reverse)
{
    const RnnStepsCall call("rnn_steps", {"u", u}, weight, initial, mask, activation, reverse);
    const at::Tensor inputs = call.sequence("u", u);
    const PackedWeight packed(call.weight.t());
    const RnnStepsOutputs out{call.emptySequence(), call.emptyState()};
    OnCpu(call.kind).run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        RnnStepsForward<Io, State> p;
        call.fill(p);
        p.u = rowsOf<const Io>(inputs);
        p.weight = packed.view<State>();
        p.h = rowsOf<Io>(std::get<0>(out));
        p.last = rowsOf<State>(std::get<1>(out));
        return p;
    });
    return out;
}

RnnStepsGradients rnnStepsBackward(const at::Tensor& weight, const MaybeTensor& initial, const MaybeTensor& mask,
                                   const at::Tensor& h, const MaybeTensor& gradH, const MaybeTensor& gradLast,
                                   std::string_view activation, bool reverse)
{
    const RnnStepsCall call("rnn_steps_backward", {"h", h}, weight, initial, mask, activation, reverse);
    const at::Tensor states = call.sequence("h", h), onStates = call.sequence("grad_h", gradH);
    const at::Tensor onLast = call.state("grad_last", gradLast);
    const PackedWeight packed(call.weight);
    const at::Tensor gradU = call.emptySequence(), gradInitial = call.emptyState();
    OnCpu(call.kind).run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        RnnStepsBackward<Io, State> p;
        call.fill(p);
        p.weight = packed.view<State>();
        p.h = rowsOf<const Io>(states);
        p.gradH = rowsOf<const Io>(onStates);
        p.gradLast = rowsOf<const State>(onLast);
        p.gradU = rowsOf<Io>(gradU);
        p.gradInitial = rowsOf<State>(gradInitial);
        return p;
    });
    WeightGradient gradWeight(call.width(), call.width(), call.weight.options());
    gradWeight.addBeforeSteps(gradU, states, call.initial, reverse);
    return {gradU, gradWeight.sum(), gradInitial};
}

} // namespace unroll::kernels
