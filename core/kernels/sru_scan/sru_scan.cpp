// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan.h"

#include "core/kernels/op/register_scan.h"
#include "core/kernels/sru_scan/sru_scan_op.h"

#include <c10/util/Exception.h>

#include <torch/library.h>

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

SymbolicSequence SruScanSpec::symbolicSequence(const Arguments& in)
{
    const at::Tensor& u = in.u;
    TORCH_CHECK(u.dim() == 4, "sru_scan: u has ", u.dim(), " dimensions, expected [steps, batch, k, width]");
    return {u, {u.sym_size(0), u.sym_size(1), u.sym_size(3)}};
}

SruScanSpec::Call::Call(const char* op, const Arguments& in, const at::Tensor&)
    : ScanCall(kindOf(op, "u", in.u), sizesOf(op, in.u), in.initial, in.mask, in.reverse),
      parts(in.u.size(2)),
      scaleX(in.scaleX),
      activation(activationNamed(op, "activation", in.activation, {Activation::Identity, Activation::Tanh})),
      u(withContiguousRows(in.u))
{
    checkParts(op, parts, in.x && in.x->defined());
    weightC = checkedWeight(kind, "weight_c", in.weightC, width());
    bias = checkedWeight(kind, "bias", in.bias, width());
    x = sequence("x", in.x);
    dropout = state("dropout", in.dropout);
}

SruScanResult sruScan(const SruScanArguments& a)
{
    auto [h, c, last] = ScanOp<SruScanSpec>::call({a.u, a.weightC, a.bias, a.x, a.initial, a.mask, a.dropout, a.scaleX,
                                                   std::string(activationName(a.activation)), a.reverse});
    return {h, c, last};
}

UNROLL_REGISTER_SCAN(SruScanSpec)

} // namespace unroll::kernels
