// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/delta_scan/delta_scan.h"

#include "core/kernels/delta_scan/delta_scan_op.h"
#include "core/kernels/op/register_scan.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <torch/library.h>

namespace unroll::kernels {
namespace {

/// Steps, batch, heads, n, m.
std::vector<std::int64_t> deltaSizes(const char* op, const at::Tensor& q, const at::Tensor& v)
{
    TORCH_CHECK(q.dim() == 4 && q.size(3) >= 1, op, ": q has shape ", q.sizes(),
                ", expected [steps, batch, heads, keys] with at least one key");
    TORCH_CHECK(v.dim() == 4 && v.size(3) >= 1, op, ": v has shape ", v.sizes(),
                ", expected [steps, batch, heads, values] with at least one value");
    std::vector<std::int64_t> sizes = q.sizes().vec();
    sizes.push_back(v.size(3));
    return sizes;
}

at::Tensor joinedHeads(const at::Tensor& tensor, std::int64_t first)
{
    return tensor.defined() ? withContiguousRows(tensor.flatten(first)) : tensor;
}

/// q, k, v, z or b: (T,B,heads,`size`), the heads joined; undefined where absent.
at::Tensor checkedDeltaHeads(const ScanCall& call, const char* name, const MaybeTensor& tensor, std::int64_t size)
{
    if (!tensor || !tensor->defined())
        return {};
    checkTensor(call.kind, name, *tensor, {call.sizes[0], call.sizes[1], call.sizes[2], size}, call.kind.io);
    return joinedHeads(*tensor, 2);
}

/// Undefined where absent; else (T,B,heads decays).
at::Tensor checkedFactor(const ScanCall& call, const MaybeTensor& given)
{
    if (!given || !given->defined())
        return {};
    const at::Tensor& w = *given;
    TORCH_CHECK(w.dim() == 3 || w.dim() == 4, call.kind.op, ": w has shape ", w.sizes(),
                ", expected [steps, batch, heads, keys] or [steps, batch, heads]");
    const at::IntArrayRef all(call.sizes);
    checkTensor(call.kind, "w", w, all.slice(0, static_cast<std::size_t>(w.dim())), call.kind.io);
    return joinedHeads(w, 2);
}

} // namespace

SymbolicSequence DeltaScanSpec::symbolicSequence(const Arguments& in)
{
    TORCH_CHECK(in.v.dim() == 4, "delta_scan: v has shape ", in.v.sym_sizes(),
                ", expected [steps, batch, heads, values]");
    return {in.v, in.v.sym_sizes().vec()};
}

std::vector<c10::SymInt> DeltaScanSpec::symbolicState(const Arguments& in)
{
    TORCH_CHECK(in.q.dim() == 4, "delta_scan: q has shape ", in.q.sym_sizes(),
                ", expected [steps, batch, heads, keys]");
    std::vector<c10::SymInt> sizes = in.q.sym_sizes().slice(1).vec();
    sizes.push_back(in.v.sym_sizes()[3]);
    return sizes;
}

DeltaScanSpec::Call::Call(const char* op, const Arguments& in, const at::Tensor&)
    : ScanCall(kindOf(op, "q", in.q), deltaSizes(op, in.q, in.v), in.initial, in.mask, in.reverse),
      decays(in.w && in.w->defined() && in.w->dim() == 4 ? sizes[3] : 1),
      q(checkedDeltaHeads(*this, "q", in.q, sizes[3])),
      k(checkedDeltaHeads(*this, "k", in.k, sizes[3])),
      v(checkedDeltaHeads(*this, "v", in.v, sizes[4])),
      z(checkedDeltaHeads(*this, "z", in.z, sizes[3])),
      b(checkedDeltaHeads(*this, "b", in.b, sizes[3])),
      w(checkedFactor(*this, in.w)),
      joinedInitial(joinedHeads(initial, 1))
{
    TORCH_CHECK(!kind.device.is_cuda() || (sizes[3] <= kMaxDeltaColumn && sizes[4] <= kMaxDeltaColumn), op, ": ",
                sizes[3], " keys and ", sizes[4], " values of a head, expected up to ", kMaxDeltaColumn,
                " each on CUDA");
}

at::Tensor DeltaScanSpec::Call::sequence(const char* argument, const MaybeTensor& tensor) const
{
    return joinedHeads(checkedRows(kind, argument, tensor, {sizes[0], sizes[1], sizes[2], sizes[4]}, kind.io), 2);
}

at::Tensor DeltaScanSpec::Call::state(const char* argument, const MaybeTensor& tensor) const
{
    return joinedHeads(ScanCall::state(argument, tensor), 1);
}

at::Tensor DeltaScanSpec::Call::emptySequence() const
{
    return at::empty({sizes[0], sizes[1], sizes[2], sizes[4]}, at::TensorOptions(kind.device).dtype(kind.io));
}

DeltaScanSpec::Call::Scratch DeltaScanSpec::Call::scratchOfThreads() const
{
    const at::TensorOptions options = at::TensorOptions(kind.device).dtype(kind.state());
    const std::int64_t keys = sizes[2] * sizes[3], chunks = (steps() + kDeltaChunk - 1) / kDeltaChunk;
    Scratch scratch{at::empty({steps(), batch(), sizes[2] * sizes[4]}, options),
                    at::empty({chunks, batch(), keys * sizes[4]}, options),
                    {}};
    if (w.defined() && decays == 1)
        scratch.factors = at::empty({steps(), batch(), keys}, options);
    return scratch;
}

void DeltaScanSpec::Call::sumOverKeys(const at::Tensor& factors, const at::Tensor& gradW) const
{
    if (factors.defined())
        gradW.copy_(factors.view({steps(), batch(), sizes[2], sizes[3]}).sum(-1).view_as(gradW));
}

DeltaScanResult deltaScan(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& z,
                          const MaybeTensor& b, const MaybeTensor& w, const MaybeTensor& initial,
                          const MaybeTensor& mask, bool reverse)
{
    auto [y, u, last] = ScanOp<DeltaScanSpec>::call({q, k, v, z, b, w, initial, mask, reverse});
    return {y, u, last};
}

UNROLL_REGISTER_SCAN(DeltaScanSpec)

} // namespace unroll::kernels
