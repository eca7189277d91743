// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gru_steps/gru_steps_tensors.h"

#include "core/kernels/gru_steps/gru_steps_params.h"
#include "core/kernels/op/on_cpu.h"
#include "core/kernels/op/weight_gradient.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {

std::string_view gruConventionName(GruConvention convention)
{
    switch (convention) {
    case GruConvention::ResetAfter: return "reset_after";
    case GruConvention::ResetBefore: return "reset_before";
    case GruConvention::ResetBeforeInvertedZ: break;
    }
    return "reset_before_inverted_z";
}

namespace {

GruConvention conventionNamed(const char* op, std::string_view word)
{
    for (GruConvention convention :
         {GruConvention::ResetAfter, GruConvention::ResetBefore, GruConvention::ResetBeforeInvertedZ})
        if (word == gruConventionName(convention))
            return convention;
    TORCH_CHECK(false, op, ": convention is \"", word,
                "\", expected one of reset_after, reset_before, reset_before_inverted_z");
}

} // namespace

at::Tensor checkedBias(const GruStepsCall& call, const MaybeTensor& bias)
{
    if (!bias || !bias->defined())
        return {};
    TORCH_CHECK(call.resetsAfter(), call.kind.op, ": bias came together with ", gruConventionName(call.convention),
                "; it belongs into u then, expected no bias");
    checkTensor(call.kind, "bias", *bias, {call.width()}, call.kind.state());
    return bias->contiguous();
}

at::Tensor rowsOfGates(const at::Tensor& weight, std::int64_t width)
{
    return weight.narrow(0, 0, 2 * width);
}

at::Tensor rowsOfCandidate(const at::Tensor& weight, std::int64_t width)
{
    return weight.narrow(0, 2 * width, width);
}

at::Tensor weightOfState(const GruStepsCall& call)
{
    return call.resetsAfter() ? call.weight : rowsOfGates(call.weight, call.width());
}

at::Tensor weightOfGradients(const GruStepsCall& call)
{
    const at::Tensor gates = rowsOfGates(call.weight, call.width());
    return call.resetsAfter() ? at::cat({rowsOfCandidate(call.weight, call.width()), gates}) : gates;
}

at::Tensor gradientOfWeight(const GruStepsCall& call, const at::Tensor& gradients, const at::Tensor& h,
                            const at::Tensor& kept)
{
    const std::int64_t width = call.width(), read = call.resetsAfter() ? kGruGates : kGruGates - 1;
    WeightGradient products(read * width, width, call.weight.options());
    products.addBeforeSteps(gradients.narrow(2, 0, read * width), h, call.initial, call.reverse);
    const at::Tensor sum = products.sum();
    if (call.resetsAfter())
        return at::cat({sum.narrow(0, width, 2 * width), sum.narrow(0, 0, width)});
    WeightGradient candidate(width, width, call.weight.options());
    candidate.add(gradients.narrow(2, 2 * width, width), kept.narrow(2, (kGruKeptParts - 1) * width, width));
    return at::cat({sum, candidate.sum()});
}

GruStepsCall::GruStepsCall(const char* op, const StepsSequence& like, const at::Tensor& weightHh,
                           const MaybeTensor& initialState, const MaybeTensor& maskTensor,
                           std::string_view conventionWord, bool reversed)
    : StepsCall(op, like, weightHh, kGruGates, initialState, maskTensor, reversed),
      convention(conventionNamed(op, conventionWord))
{}

GruStepsOutputs gruStepsForward(const at::Tensor& u, const at::Tensor& weight, const MaybeTensor& bias,
                                const MaybeTensor& initial, const MaybeTensor& mask, std::string_view convention,
                                bool reverse, bool keeps)
{
    const StepsSequence products{"u", u, kGruGates};
    const GruStepsCall call("gru_steps", products, weight, initial, mask, convention, reverse);
    const at::Tensor inputs = call.wide(products), inside = checkedBias(call, bias);
    const PackedWeight read(weightOfState(call).t());
    const PackedWeight candidate =
        call.resetsAfter() ? PackedWeight() : PackedWeight(rowsOfCandidate(weight, call.width()).t());
    const at::Tensor kept = keeps ? at::empty({call.steps(), call.batch(), kGruKeptParts * call.width()}, u.options())
                                  : at::empty({0}, u.options());
    const GruStepsOutputs out{call.emptySequence(), call.emptyState(), kept};
    OnCpu(call.kind).run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        GruStepsForward<Io, State> p;
        call.fill(p);
        p.gates = read.view<State>();
        p.candidate = candidate.view<State>();
        p.u = rowsOf<const Io>(inputs);
        p.bias = inside.defined() ? inside.const_data_ptr<State>() : nullptr;
        p.h = rowsOf<Io>(std::get<0>(out));
        p.last = rowsOf<State>(std::get<1>(out));
        p.kept = keeps ? rowsOf<Io>(kept) : Rows<Io>{};
        return p;
    });
    return out;
}

GruStepsGradients gruStepsBackward(const at::Tensor& weight, const MaybeTensor& initial, const MaybeTensor& mask,
                                   const at::Tensor& h, const at::Tensor& kept, const MaybeTensor& gradH,
                                   const MaybeTensor& gradLast, std::string_view convention, bool reverse)
{
    const GruStepsCall call("gru_steps_backward", {"h", h}, weight, initial, mask, convention, reverse);
    const std::int64_t width = call.width(), gated = call.resetsAfter() ? width : 0;
    const at::Tensor states = call.sequence("h", h), sums = call.wide({"kept", kept, kGruKeptParts});
    const at::Tensor onStates = call.sequence("grad_h", gradH), onLast = call.state("grad_last", gradLast);
    const PackedWeight read(weightOfGradients(call));
    const PackedWeight candidate = call.resetsAfter() ? PackedWeight() : PackedWeight(rowsOfCandidate(weight, width));
    const at::Tensor gradients = at::empty({call.steps(), call.batch(), gated + kGruGates * width}, h.options());
    const at::Tensor gradInitial = call.emptyState();
    const OnCpu cpu(call.kind);
    cpu.run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        GruStepsBackward<Io, State> p;
        call.fill(p);
        p.gates = read.view<State>();
        p.candidate = candidate.view<State>();
        p.h = rowsOf<const Io>(states);
        p.kept = rowsOf<const Io>(sums);
        p.gradH = rowsOf<const Io>(onStates);
        p.gradLast = rowsOf<const State>(onLast);
        p.gradU = rowsOf<Io>(gradients, gated);
        p.gradGated = call.resetsAfter() ? rowsOf<Io>(gradients) : Rows<Io>{};
        p.gradInitial = rowsOf<State>(gradInitial);
        return p;
    });
    return {gradients.narrow(2, gated, kGruGates * width), gradientOfWeight(call, gradients, states, sums),
            gradientOfBias(call, cpu, gradients), gradInitial};
}

} // namespace unroll::kernels
