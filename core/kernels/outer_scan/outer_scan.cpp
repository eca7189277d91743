// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/outer_scan/outer_scan.h"

#include "core/kernels/op/register_scan.h"
#include "core/kernels/outer_scan/outer_scan_op.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <torch/library.h>

namespace unroll::kernels {
namespace {

/// Steps, batch, heads, n, m.
std::vector<std::int64_t> sizesOf(const char* op, const at::Tensor& q, const at::Tensor& v)
{
    TORCH_CHECK(q.dim() == 4 && q.size(3) >= 1, op, ": q has shape ", q.sizes(),
                ", expected [steps, batch, heads, keys] with at least one key");
    TORCH_CHECK(v.dim() == 4 && v.size(3) >= 1, op, ": v has shape ", v.sizes(),
                ", expected [steps, batch, heads, values] with at least one value");
    std::vector<std::int64_t> sizes = q.sizes().vec();
    sizes.push_back(v.size(3));
    return sizes;
}

at::Tensor joined(const at::Tensor& tensor, std::int64_t first)
{
    return tensor.defined() ? withContiguousRows(tensor.flatten(first)) : tensor;
}

/// q, k or v: (T,B,heads,`size`), the heads joined.
at::Tensor checkedHeads(const ScanCall& call, const char* name, const at::Tensor& tensor, std::int64_t size)
{
    checkTensor(call.kind, name, tensor, {call.sizes[0], call.sizes[1], call.sizes[2], size}, call.kind.io);
    return joined(tensor, 2);
}

bool isConstantDecay(const at::Tensor& a)
{
    return a.dim() <= 2;
}

/// Undefined where absent; else (T,B,heads decays), or (heads decays).
at::Tensor checkedDecay(const ScanCall& call, const MaybeTensor& given)
{
    if (!given || !given->defined())
        return {};
    const at::Tensor& a = *given;
    TORCH_CHECK(a.dim() >= 1 && a.dim() <= 4, call.kind.op, ": a has shape ", a.sizes(),
                ", expected [steps, batch, heads, keys], [steps, batch, heads], [heads, keys] or [heads]");
    const at::IntArrayRef all(call.sizes);
    if (isConstantDecay(a)) {
        checkTensor(call.kind, "a", a, all.slice(2, static_cast<std::size_t>(a.dim())), call.kind.state());
        return a.flatten().contiguous();
    }
    checkTensor(call.kind, "a", a, all.slice(0, static_cast<std::size_t>(a.dim())), call.kind.io);
    return joined(a, 2);
}

std::int64_t decaysOf(const ScanCall& call, const MaybeTensor& a)
{
    return a && a->defined() && a->dim() % 2 == 0 ? call.sizes[3] : 1;
}

} // namespace

SymbolicSequence OuterScanSpec::symbolicSequence(const Arguments& in)
{
    TORCH_CHECK(in.v.dim() == 4, "outer_scan: v has shape ", in.v.sym_sizes(),
                ", expected [steps, batch, heads, values]");
    return {in.v, in.v.sym_sizes().vec()};
}

std::vector<c10::SymInt> OuterScanSpec::symbolicState(const Arguments& in)
{
    TORCH_CHECK(in.q.dim() == 4, "outer_scan: q has shape ", in.q.sym_sizes(),
                ", expected [steps, batch, heads, keys]");
    std::vector<c10::SymInt> sizes = in.q.sym_sizes().slice(1).vec();
    sizes.push_back(in.v.sym_sizes()[3]);
    return sizes;
}

OuterScanSpec::Call::Call(const char* op, const Arguments& in, const at::Tensor&)
    : ScanCall(kindOf(op, "q", in.q), sizesOf(op, in.q, in.v), in.initial, in.mask, in.reverse),
      decays(decaysOf(*this, in.a)),
      q(checkedHeads(*this, "q", in.q, sizes[3])),
      k(checkedHeads(*this, "k", in.k, sizes[3])),
      v(checkedHeads(*this, "v", in.v, sizes[4])),
      a(checkedDecay(*this, in.a)),
      joinedInitial(joined(initial, 1))
{
    TORCH_CHECK(!kind.device.is_cuda() || (sizes[3] <= kMaxOuterColumn && sizes[4] <= kMaxOuterColumn), op, ": ",
                sizes[3], " keys and ", sizes[4], " values of a head, expected up to ", kMaxOuterColumn,
                " each on CUDA");
}

at::Tensor OuterScanSpec::Call::sequence(const char* argument, const MaybeTensor& tensor) const
{
    return joined(checkedRows(kind, argument, tensor, {sizes[0], sizes[1], sizes[2], sizes[4]}, kind.io), 2);
}

at::Tensor OuterScanSpec::Call::state(const char* argument, const MaybeTensor& tensor) const
{
    return joined(ScanCall::state(argument, tensor), 1);
}

at::Tensor OuterScanSpec::Call::emptySequence() const
{
    return at::empty({sizes[0], sizes[1], sizes[2], sizes[4]}, at::TensorOptions(kind.device).dtype(kind.io));
}

at::Tensor OuterScanSpec::Call::constantSums() const
{
    if (!isConstant())
        return {};
    return at::empty({batch(), sizes[2] * decays}, at::TensorOptions(kind.device).dtype(kind.state()));
}

OuterScanSpec::Call::Scratch OuterScanSpec::Call::scratchOfColumns() const
{
    const at::TensorOptions options = at::TensorOptions(kind.device).dtype(kind.state());
    const std::int64_t keys = sizes[2] * sizes[3], chunks = (steps() + kOuterChunk - 1) / kOuterChunk;
    Scratch scratch{constantSums(), at::empty({chunks, batch(), keys * sizes[4]}, options), {}};
    if (isConstant())
        scratch.factors = at::empty({batch(), keys}, options);
    else if (a.defined() && decays == 1)
        scratch.factors = at::empty({steps(), batch(), keys}, options);
    return scratch;
}

at::Tensor OuterScanSpec::Call::ofHeads(const at::Tensor& factors) const
{
    return decays == sizes[3] ? factors : factors.view({batch(), sizes[2], sizes[3]}).sum(-1);
}

void OuterScanSpec::Call::sumOverKeys(const at::Tensor& factors, const at::Tensor& gradA) const
{
    if (factors.defined())
        gradA.copy_(factors.view({steps(), batch(), sizes[2], sizes[3]}).sum(-1).view_as(gradA));
}

OuterScanResult outerScan(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const MaybeTensor& a,
                          const MaybeTensor& initial, const MaybeTensor& mask, bool reverse)
{
    auto [y, last] = ScanOp<OuterScanSpec>::call({q, k, v, a, initial, mask, reverse});
    return {y, last};
}

UNROLL_REGISTER_SCAN(OuterScanSpec)

} // namespace unroll::kernels
