// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cfc_steps/cfc_steps.h"

#include "core/kernels/cfc_steps/cfc_steps_op.h"
#include "core/kernels/op/register_scan.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <c10/util/Exception.h>

#include <torch/library.h>

#include <array>
#include <utility>

namespace unroll::kernels {

namespace {

constexpr std::array kCfcActivations{std::pair("lecun_tanh", CfcActivation::LecunTanh),
                                     std::pair("tanh", CfcActivation::Tanh), std::pair("relu", CfcActivation::Relu),
                                     std::pair("silu", CfcActivation::Silu)};

CfcActivation cfcActivationNamed(const char* op, const std::string& word)
{
    std::string all;
    for (const auto& [name, activation] : kCfcActivations) {
        if (word == name)
            return activation;
        all += (all.empty() ? "" : ", ") + std::string(name);
    }
    TORCH_CHECK(false, op, ": activation is \"", word, "\", expected one of ", all);
}

CallKind kindOfCfc(const char* op, const char* name, const at::Tensor& like, const at::Tensor& weight)
{
    TORCH_CHECK(like.dim() == 3, op, ": ", name, " has shape ", like.sizes(), ", expected [steps, batch, width]");
    TORCH_CHECK(weight.dim() == 2, op, ": weight has shape ", weight.sizes(), ", expected [backbone, width]");
    const CallKind kind = kindOf(op, name, like);
    TORCH_CHECK(kind.io != at::kBFloat16, op, ": ", name, " is ", kind.io, "; expected float32 or float64");
    return kind;
}

} // namespace

CfcStepsCall::CfcStepsCall(const char* op, const char* likeName, const at::Tensor& like, const CfcStepsArguments& in)
    : backbone((static_cast<void>(kindOfCfc(op, likeName, like, in.weight)), in.weight.size(0))),
      activation(cfcActivationNamed(op, in.activation)),
      isGated(in.gated),
      scan(kindOfCfc(op, likeName, like, in.weight),
           std::vector<std::int64_t>{like.size(0), like.size(1), in.weight.size(1)}, in.initial, in.mask, in.reverse),
      weight(in.weight),
      heads(in.heads)
{
    checkTensor(scan.kind, "weight", weight, {backbone, width()}, scan.kind.state());
    TORCH_CHECK(std::ssize(heads) == kCfcHeads, op, ": heads has ", heads.size(), " tensors, expected ", kCfcHeads);
    for (const at::Tensor& head : heads)
        checkTensor(scan.kind, "heads", head, {width(), backbone}, scan.kind.state());
    checkTensor(scan.kind, "bias", in.bias, {headsWidth()}, scan.kind.state());
    bias = in.bias.contiguous();
    time = scan.sequence("time", in.time, width());
}

void CfcStepsCall::pack(bool transposed)
{
    packedWeight = PackedWeight(transposed ? weight.t() : weight);
    const at::Tensor joined = at::cat(heads);
    packedHeads = PackedWeight(transposed ? joined.t() : joined);
}

std::vector<at::Tensor> CfcStepsCall::gradientsOfHeads(const at::Tensor& gradSums, const at::Tensor& features) const
{
    std::vector<at::Tensor> all;
    for (const at::Tensor& ofHead : gradSums.chunk(kCfcHeads, 2)) {
        WeightGradient products(width(), backbone, weight.options());
        products.add(ofHead, features);
        all.push_back(products.sum());
    }
    return all;
}

template <>
CfcStepsOutputs scanForward<CfcStepsSpec, OnCpu>(const CfcStepsArguments& in)
{
    CfcStepsCall call(CfcStepsSpec::name, "u", in.u, in);
    const at::Tensor inputs = call.scan.sequence("u", in.u, call.backbone);
    call.pack(true);
    const CfcStepsOutputs out{call.scan.emptySequence(call.width()), call.scan.emptySequence(call.walkedWidth()),
                              call.scan.emptyState()};
    OnCpu(call.scan.kind).run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        CfcStepsForward<Io, State> p;
        call.fill(p);
        p.u = rowsOf<const Io>(inputs);
        p.bias = call.bias.template const_data_ptr<State>();
        p.h = rowsOf<Io>(std::get<0>(out));
        p.walked = rowsOf<Io>(std::get<1>(out));
        p.last = rowsOf<State>(std::get<2>(out));
        return p;
    });
    return out;
}

template <>
CfcStepsGradients scanBackward<CfcStepsSpec, OnCpu>(const CfcStepsBackwardArguments& in)
{
    CfcStepsCall call(ScanOp<CfcStepsSpec>::backwardName(), "walked", in.states, in.arguments);
    const at::Tensor walked = call.scan.sequence("walked", in.states, call.walkedWidth());
    const at::Tensor onH = call.scan.sequence("grad_h", in.arriving[0], call.width());
    const at::Tensor onWalked = call.scan.sequence("grad_walked", in.arriving[1], call.walkedWidth());
    const at::Tensor onLast = call.scan.state("grad_last", in.arriving[2]);
    call.pack(false);
    const at::Tensor gradU = call.scan.emptySequence(call.backbone), features = call.scan.emptySequence(call.backbone);
    const at::Tensor gradSums = call.scan.emptySequence(call.headsWidth()), gradInitial = call.scan.emptyState();
    const at::Tensor gradTime =
        call.time.defined() ? call.scan.emptySequence(call.width()) : emptyGradient(call.scan, MaybeTensor());
    OnCpu(call.scan.kind).run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        CfcStepsBackward<Io, State> p;
        call.fill(p);
        p.walked = rowsOf<const Io>(walked);
        p.gradH = rowsOf<const Io>(onH);
        p.gradWalked = rowsOf<const Io>(onWalked);
        p.gradLast = rowsOf<const State>(onLast);
        p.gradU = rowsOf<Io>(gradU);
        p.gradTime = rowsOf<Io>(gradTime);
        p.gradSums = rowsOf<Io>(gradSums);
        p.features = rowsOf<Io>(features);
        p.gradInitial = rowsOf<State>(gradInitial);
        return p;
    });
    WeightGradient ofWeight(call.backbone, call.width(), call.weight.options());
    ofWeight.addBeforeSteps(gradU, walked.narrow(2, 0, call.width()), call.scan.initial, call.scan.reverse);
    return {gradU,    ofWeight.sum(), call.gradientsOfHeads(gradSums, features), gradSums.flatten(0, 1).sum(0),
            gradTime, gradInitial};
}

SymbolicSequence CfcStepsSpec::symbolicSequence(const Arguments& in, std::size_t output)
{
    TORCH_CHECK(in.u.dim() == 3, name, ": u has ", in.u.dim(), " dimensions, expected [steps, batch, backbone]");
    TORCH_CHECK(in.weight.dim() == 2, name, ": weight has ", in.weight.dim(),
                " dimensions, expected [backbone, width]");
    const c10::SymInt width = in.weight.sym_size(1);
    return {
        in.u,
        {in.u.sym_size(0), in.u.sym_size(1), output == 0 ? width : width * (1 + kCfcHeads) + in.weight.sym_size(0)}};
}

std::vector<c10::SymInt> CfcStepsSpec::symbolicState(const Arguments& in, const at::Tensor& sequence)
{
    return {sequence.sym_size(1), in.weight.sym_size(1)};
}

std::vector<c10::SymInt> CfcStepsSpec::symbolicForwardInput(const Arguments& in, const at::Tensor& walked)
{
    return {walked.sym_size(0), walked.sym_size(1), in.weight.sym_size(0)};
}

CfcStepsResult cfcSteps(const CfcStepsArguments& arguments)
{
    auto [h, walked, last] = ScanOp<CfcStepsSpec>::call(arguments);
    return {h, walked, last};
}

UNROLL_REGISTER_SCAN(CfcStepsSpec)

} // namespace unroll::kernels
