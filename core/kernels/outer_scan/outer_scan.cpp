// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/outer_scan/outer_scan.h"

#include "core/kernels/op/register_scan.h"
#include "core/kernels/outer_scan/outer_scan_op.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <torch/library.h>

namespace unroll::kernels {
namespace {

bool isConstantDecay(const at::Tensor& a)
{
    return a.dim() <= 2;
}

/// Undefined where absent; else (T,B,heads decays), or (heads decays).
at::Tensor checkedDecay(const HeadCall& call, const MaybeTensor& given)
{
    constexpr const char* expected = "[steps, batch, heads, keys], [steps, batch, heads], [heads, keys] or [heads]";
    if (!given || !given->defined() || given->dim() == 0 || !isConstantDecay(*given))
        return call.factor("a", given, expected);
    checkTensor(call.kind, "a", *given, at::IntArrayRef(call.sizes).slice(2, static_cast<std::size_t>(given->dim())),
                call.kind.state());
    return given->flatten().contiguous();
}

} // namespace

SymbolicSequence OuterScanSpec::symbolicSequence(const Arguments& in)
{
    return HeadCall::symbolicSequence(name, in.v);
}

std::vector<c10::SymInt> OuterScanSpec::symbolicState(const Arguments& in)
{
    return HeadCall::symbolicState(name, in.q, in.v);
}

OuterScanSpec::Call::Call(const char* op, const Arguments& in, const at::Tensor&)
    : HeadCall(op, in.q, in.k, in.v, in.initial, in.mask, in.reverse), a(checkedDecay(*this, in.a))
{
    decays = decaysOf(in.a);
}

at::Tensor OuterScanSpec::Call::constantSums() const
{
    if (!isConstant())
        return {};
    return at::empty({batch(), sizes[2] * decays}, at::TensorOptions(kind.device).dtype(kind.state()));
}

OuterScanSpec::Call::Scratch OuterScanSpec::Call::scratchOfColumns() const
{
    Scratch scratch{constantSums(), emptyStates(), {}};
    if (isConstant() || (a.defined() && decays == 1))
        scratch.factors = emptyKeys(!isConstant());
    return scratch;
}

OuterScanResult outerScan(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const MaybeTensor& a,
                          const MaybeTensor& initial, const MaybeTensor& mask, bool reverse)
{
    auto [y, last] = ScanOp<OuterScanSpec>::call({q, k, v, a, initial, mask, reverse});
    return {y, last};
}

UNROLL_REGISTER_SCAN(OuterScanSpec)

} // namespace unroll::kernels
