// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan_tensors.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {
namespace {

at::IntArrayRef sizesOf(const char* op, const char* name, const at::Tensor& sequence)
{
    TORCH_CHECK(sequence.dim() == 3, op, ": ", name, " has shape ", sequence.sizes(),
                ", expected [steps, batch, width]");
    return sequence.sizes();
}

at::Tensor checkedFactor(const ScanCall& call, const at::Tensor& factor)
{
    TORCH_CHECK(factor.dim() == 1 || factor.dim() == 3, call.kind.op, ": a has shape ", factor.sizes(),
                ", expected [steps, batch, width] or [width]");
    if (factor.dim() == 1)
        return checkedRows(call.kind, "a", factor, {call.width()}, call.kind.state());
    return call.sequence("a", factor);
}

} // namespace

DiagScanCall::DiagScanCall(const char* op, const char* name, const at::Tensor& sequence, const at::Tensor& factor,
                           const MaybeTensor& initialState, const MaybeTensor& maskTensor, bool reversed)
    : ScanCall(kindOf(op, name, sequence, NumberKinds::RealOrComplex), sizesOf(op, name, sequence), initialState,
               maskTensor, reversed),
      first(withContiguousRows(sequence)),
      a(checkedFactor(*this, factor))
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
