// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan_tensors.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {
namespace {

std::vector<std::int64_t> sizesOf(const char* op, const at::Tensor& u)
{
    TORCH_CHECK(u.dim() == 4, op, ": u has shape ", u.sizes(), ", expected [steps, batch, k, width]");
    return {u.size(0), u.size(1), u.size(3)};
}

void checkParts(const char* op, std::int64_t parts, bool hasX)
{
    TORCH_CHECK(parts == 3 || parts == 4, op, ": u has k = ", parts, " parts, expected 3 or 4");
    TORCH_CHECK(parts == 3 || !hasX, op,
                ": x came together with k = 4; the skip input is the fourth part of u then, expected no x");
}

at::Tensor checkedWeight(const CallKind& kind, const char* name, const at::Tensor& weight, std::int64_t width)
{
    checkTensor(kind, name, weight, {2, width}, kind.state());
    return weight.contiguous();
}

} // namespace

SruScanCall::SruScanCall(const char* op, const SruScanTensors& tensors, const SruScanSettings& settings)
    : ScanCall(kindOf(op, "u", tensors.u), sizesOf(op, tensors.u), tensors.initial, tensors.mask, settings.reverse),
      parts(tensors.u.size(2)),
      scaleX(settings.scaleX),
      activation(activationNamed(op, "activation", settings.activation, {Activation::Identity, Activation::Tanh})),
      u(withContiguousRows(tensors.u))
{
    checkParts(op, parts, tensors.x && tensors.x->defined());
    weightC = checkedWeight(kind, "weight_c", tensors.weightC, width());
    bias = checkedWeight(kind, "bias", tensors.bias, width());
    x = sequence("x", tensors.x);
    dropout = state("dropout", tensors.dropout);
}

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
    return at::empty({call.batch(), 4, call.width()}, call.weightC.options());
}

} // namespace unroll::kernels
