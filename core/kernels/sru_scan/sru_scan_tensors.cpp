// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan_tensors.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {
namespace {

void checkParts(const char* op, const at::Tensor& u, bool hasX)
{
    TORCH_CHECK(u.dim() == 4, op, ": u has shape ", u.sizes(), ", expected [steps, batch, k, width]");
    TORCH_CHECK(u.size(2) == 3 || u.size(2) == 4, op, ": u has k = ", u.size(2), " parts, expected 3 or 4");
    TORCH_CHECK(u.size(2) == 3 || !hasX, op,
                ": x came together with k = 4; the skip input is the fourth part of u then, expected no x");
}

at::Tensor checkedWeight(const CallKind& kind, const char* name, const at::Tensor& weight, std::int64_t width)
{
    checkTensor(kind, name, weight, {2, width}, kind.state());
    return weight.contiguous();
}

} // namespace

SruScanCall::SruScanCall(const char* op, const SruScanTensors& tensors, const SruScanSettings& settings)
    : kind(kindOf(op, "u", tensors.u)),
      scaleX(settings.scaleX),
      activation(activationNamed(op, "activation", settings.activation, {Activation::Identity, Activation::Tanh})),
      reverse(settings.reverse)
{
    checkParts(op, tensors.u, tensors.x && tensors.x->defined());
    steps = tensors.u.size(0);
    batch = tensors.u.size(1);
    parts = tensors.u.size(2);
    width = tensors.u.size(3);
    u = withContiguousRows(tensors.u);
    weightC = checkedWeight(kind, "weight_c", tensors.weightC, width);
    bias = checkedWeight(kind, "bias", tensors.bias, width);
    x = checkedRows(kind, "x", tensors.x, {steps, batch, width}, kind.io);
    initial = checkedRows(kind, "initial", tensors.initial, {batch, width}, kind.state());
    mask = checkedMask(kind, tensors.mask, steps, batch);
    dropout = checkedRows(kind, "dropout", tensors.dropout, {batch, width}, kind.state());
}

at::Tensor SruScanCall::emptySequence() const
{
    return at::empty({steps, batch, width}, at::TensorOptions(kind.device).dtype(kind.io));
}

at::Tensor SruScanCall::emptyState() const
{
    return at::empty({batch, width}, at::TensorOptions(kind.device).dtype(kind.state()));
}

SruScanGradientsIn::SruScanGradientsIn(const SruScanCall& call, const std::optional<at::Tensor>& h,
                                       const std::optional<at::Tensor>& c, const std::optional<at::Tensor>& last)
    : gradH(checkedRows(call.kind, "grad_h", h, {call.steps, call.batch, call.width}, call.kind.io)),
      gradC(checkedRows(call.kind, "grad_c", c, {call.steps, call.batch, call.width}, call.kind.io)),
      gradLast(checkedRows(call.kind, "grad_last", last, {call.batch, call.width}, call.kind.state()))
{}

SruScanOutputs emptyOutputs(const SruScanCall& call)
{
    return {call.emptySequence(), call.emptySequence(), call.emptyState()};
}

SruScanGradients emptyGradients(const SruScanCall& call)
{
    const at::Tensor x = call.x.defined() ? call.emptySequence() : at::empty({0}, call.u.options());
    return {at::empty(call.u.sizes(), call.u.options()), at::empty(call.weightC.sizes(), call.weightC.options()),
            at::empty(call.bias.sizes(), call.bias.options()), x, call.emptyState()};
}

at::Tensor emptyPartialSums(const SruScanCall& call)
{
    return at::empty({call.batch, 4, call.width}, call.weightC.options());
}

at::Tensor checkedStates(const SruScanCall& call, const at::Tensor& c)
{
    checkTensor(call.kind, "c", c, {call.steps, call.batch, call.width}, call.kind.io);
    return withContiguousRows(c);
}

} // namespace unroll::kernels
