// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan_tensors.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {

DiagScanCall::DiagScanCall(const char* op, const char* name, const at::Tensor& sequence, const at::Tensor& factor,
                           const std::optional<at::Tensor>& initialState, const std::optional<at::Tensor>& maskTensor,
                           bool reversed)
    : kind(kindOf(op, name, sequence, NumberKinds::RealOrComplex)), reverse(reversed)
{
    TORCH_CHECK(sequence.dim() == 3, op, ": ", name, " has shape ", sequence.sizes(),
                ", expected [steps, batch, width]");
    steps = sequence.size(0);
    batch = sequence.size(1);
    width = sequence.size(2);
    first = withContiguousRows(sequence);
    TORCH_CHECK(factor.dim() == 1 || factor.dim() == 3, op, ": a has shape ", factor.sizes(),
                ", expected [steps, batch, width] or [width]");
    if (factor.dim() == 1)
        a = checkedRows(kind, "a", factor, {width}, kind.state());
    else
        a = checkedRows(kind, "a", factor, {steps, batch, width}, kind.io);
    initial = checkedRows(kind, "initial", initialState, {batch, width}, kind.state());
    mask = checkedMask(kind, maskTensor, steps, batch);
}

at::Tensor DiagScanCall::emptySequence() const
{
    return at::empty({steps, batch, width}, at::TensorOptions(kind.device).dtype(kind.io));
}

at::Tensor DiagScanCall::emptyState() const
{
    return at::empty({batch, width}, at::TensorOptions(kind.device).dtype(kind.state()));
}

DiagScanGradientsIn::DiagScanGradientsIn(const DiagScanCall& call, const std::optional<at::Tensor>& h,
                                         const std::optional<at::Tensor>& last)
    : gradH(checkedRows(call.kind, "grad_h", h, {call.steps, call.batch, call.width}, call.kind.io)),
      gradLast(checkedRows(call.kind, "grad_last", last, {call.batch, call.width}, call.kind.state()))
{}

DiagScanOutputs emptyOutputs(const DiagScanCall& call)
{
    return {call.emptySequence(), call.emptyState()};
}

DiagScanGradients emptyGradients(const DiagScanCall& call)
{
    return {at::empty(call.a.sizes(), call.a.options()), call.emptySequence(), call.emptyState()};
}

at::Tensor emptySums(const DiagScanCall& call)
{
    return call.hasConstant() ? call.emptyState() : at::Tensor();
}

} // namespace unroll::kernels
