// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rnn_steps/rnn_steps.h"

#include "core/kernels/op/register_scan.h"
#include "core/kernels/op/weight_gradient.h"
#include "core/kernels/rnn_steps/rnn_steps_op.h"

#include <c10/util/Exception.h>

#include <torch/library.h>

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

RnnStepsCall::RnnStepsCall(const char* op, const StepsSequence& like, const RnnStepsOpArguments& in)
    : StepsCall(op, like, in.weight, 1, in.initial, in.mask, in.reverse), activation(activationNamed(op, in.activation))
{}

template <>
RnnStepsOutputs scanForward<RnnStepsSpec, OnCpu>(const RnnStepsOpArguments& in)
{
    const RnnStepsCall call(RnnStepsSpec::name, {"u", in.u}, in);
    const at::Tensor inputs = call.sequence("u", in.u);
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

template <>
RnnStepsGradients scanBackward<RnnStepsSpec, OnCpu>(const RnnStepsBackwardArguments& in)
{
    const RnnStepsCall call(ScanOp<RnnStepsSpec>::backwardName(), {"h", in.states}, in.arguments);
    const at::Tensor states = call.sequence("h", in.states), onStates = call.sequence("grad_h", in.arriving[0]);
    const at::Tensor onLast = call.state("grad_last", in.arriving[1]);
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
    gradWeight.addBeforeSteps(gradU, states, call.initial, call.reverse);
    return {gradU, gradWeight.sum(), gradInitial};
}

SymbolicSequence RnnStepsSpec::symbolicSequence(const Arguments& in)
{
    TORCH_CHECK(in.u.dim() == 3, "rnn_steps: u has ", in.u.dim(), " dimensions, expected [steps, batch, width]");
    return {in.u, in.u.sym_sizes().vec()};
}

RnnStepsResult rnnSteps(const RnnStepsArguments& a)
{
    auto [h, last] = ScanOp<RnnStepsSpec>::call(
        {a.u, a.weight, a.initial, a.mask, std::string(rnnActivationName(a.activation)), a.reverse});
    return {h, last};
}

UNROLL_REGISTER_SCAN(RnnStepsSpec)

} // namespace unroll::kernels
