// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/heads/head_call.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {
namespace {

/// Steps, batch, heads, n, m.
std::vector<std::int64_t> headSizes(const char* op, const at::Tensor& q, const at::Tensor& v)
{
    TORCH_CHECK(q.dim() == 4 && q.size(3) >= 1, op, ": q has shape ", q.sizes(),
                ", expected [steps, batch, heads, keys] with at least one key");
    TORCH_CHECK(v.dim() == 4 && v.size(3) >= 1, op, ": v has shape ", v.sizes(),
                ", expected [steps, batch, heads, values] with at least one value");
    std::vector<std::int64_t> sizes = q.sizes().vec();
    sizes.push_back(v.size(3));
    return sizes;
}

} // namespace

HeadCall::HeadCall(const char* op, const at::Tensor& givenQ, const at::Tensor& givenK, const at::Tensor& givenV,
                   const MaybeTensor& initialState, const MaybeTensor& stepMask, bool reversed)
    : ScanCall(kindOf(op, "q", givenQ), headSizes(op, givenQ, givenV), initialState, stepMask, reversed),
      q(ofHeads("q", givenQ)),
      k(ofHeads("k", givenK)),
      v(ofHeads("v", givenV, true)),
      joinedInitial(joined(initial, 1))
{
    TORCH_CHECK(!kind.device.is_cuda() || (sizes[3] <= kMaxHeadColumn && sizes[4] <= kMaxHeadColumn), op, ": ",
                sizes[3], " keys and ", sizes[4], " values of a head, expected up to ", kMaxHeadColumn,
                " each on CUDA");
}

at::Tensor HeadCall::joined(const at::Tensor& tensor, std::int64_t first)
{
    return tensor.defined() ? withContiguousRows(tensor.flatten(first)) : tensor;
}

at::Tensor HeadCall::sequence(const char* name, const MaybeTensor& tensor) const
{
    return joined(checkedRows(kind, name, tensor, {sizes[0], sizes[1], sizes[2], sizes[4]}, kind.io), 2);
}

at::Tensor HeadCall::state(const char* name, const MaybeTensor& tensor) const
{
    return joined(ScanCall::state(name, tensor), 1);
}

at::Tensor HeadCall::emptySequence() const
{
    return at::empty({sizes[0], sizes[1], sizes[2], sizes[4]}, at::TensorOptions(kind.device).dtype(kind.io));
}

at::Tensor HeadCall::ofHeads(const char* name, const MaybeTensor& tensor, bool values) const
{
    if (!tensor || !tensor->defined())
        return {};
    checkTensor(kind, name, *tensor, {sizes[0], sizes[1], sizes[2], sizes[values ? 4 : 3]}, kind.io);
    return joined(*tensor, 2);
}

at::Tensor HeadCall::factor(const char* name, const MaybeTensor& given, const char* expected) const
{
    if (!given || !given->defined())
        return {};
    const at::Tensor& a = *given;
    TORCH_CHECK(a.dim() == 3 || a.dim() == 4, kind.op, ": ", name, " has shape ", a.sizes(), ", expected ", expected);
    checkTensor(kind, name, a, at::IntArrayRef(sizes).slice(0, static_cast<std::size_t>(a.dim())), kind.io);
    return joined(a, 2);
}

std::int64_t HeadCall::decaysOf(const MaybeTensor& factor) const
{
    return factor && factor->defined() && factor->dim() % 2 == 0 ? sizes[3] : 1;
}

at::Tensor HeadCall::emptyStates() const
{
    const std::int64_t chunks = (steps() + kHeadChunk - 1) / kHeadChunk;
    return at::empty({chunks, batch(), sizes[2] * sizes[3] * sizes[4]},
                     at::TensorOptions(kind.device).dtype(kind.state()));
}

at::Tensor HeadCall::emptyKeys(bool withSteps) const
{
    const auto options = at::TensorOptions(kind.device).dtype(kind.state());
    const std::int64_t keys = sizes[2] * sizes[3];
    return withSteps ? at::empty({steps(), batch(), keys}, options) : at::empty({batch(), keys}, options);
}

at::Tensor HeadCall::sumOverKeys(const at::Tensor& keys) const
{
    return keys.unflatten(-1, {sizes[2], sizes[3]}).sum(-1);
}

SymbolicSequence HeadCall::symbolicSequence(const char* op, const at::Tensor& v)
{
    TORCH_CHECK(v.dim() == 4, op, ": v has shape ", v.sym_sizes(), ", expected [steps, batch, heads, values]");
    return {v, v.sym_sizes().vec()};
}

std::vector<c10::SymInt> HeadCall::symbolicState(const char* op, const at::Tensor& q, const at::Tensor& v)
{
    TORCH_CHECK(q.dim() == 4, op, ": q has shape ", q.sym_sizes(), ", expected [steps, batch, heads, keys]");
    std::vector<c10::SymInt> sizes = q.sym_sizes().slice(1).vec();
    sizes.push_back(v.sym_sizes()[3]);
    return sizes;
}

} // namespace unroll::kernels
