// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan.h"

#include "core/kernels/diag_scan/diag_scan_op.h"
#include "core/kernels/op/register_scan.h"

#include <c10/util/Exception.h>

#include <torch/library.h>

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

SymbolicSequence DiagScanSpec::symbolicSequence(const Arguments& in)
{
    TORCH_CHECK(in.b.dim() == 3, "diag_scan: b has shape ", in.b.sym_sizes(), ", expected [steps, batch, width]");
    return {in.b, in.b.sym_sizes().vec()};
}

DiagScanSpec::Call::Call(const char* op, const Arguments& in, const at::Tensor& states)
    : ScanCall(states.defined() ? kindOf(op, "h", states, NumberKinds::RealOrComplex)
                                : kindOf(op, "b", in.b, NumberKinds::RealOrComplex),
               states.defined() ? sizesOf(op, "h", states) : sizesOf(op, "b", in.b), in.initial, in.mask, in.reverse),
      b(states.defined() ? at::Tensor() : withContiguousRows(in.b)),
      a(checkedFactor(*this, in.a))
{}

DiagScanResult diagScan(const at::Tensor& a, const at::Tensor& b, const MaybeTensor& initial, const MaybeTensor& mask,
                        bool reverse)
{
    auto [h, last] = ScanOp<DiagScanSpec>::call({a, b, initial, mask, reverse});
    return {h, last};
}

UNROLL_REGISTER_SCAN(DiagScanSpec)

} // namespace unroll::kernels
