// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/op/scan_call.h"

#include <ATen/ops/empty.h>

namespace unroll::kernels {

ScanCall::ScanCall(const CallKind& callKind, at::IntArrayRef callSizes, const MaybeTensor& initialState,
                   const MaybeTensor& maskTensor, bool reversed)
    : kind(callKind),
      sizes(callSizes.vec()),
      reverse(reversed),
      initial(state("initial", initialState)),
      mask(checkedMask(callKind, maskTensor, callSizes[0], callSizes[1]))
{}

at::Tensor ScanCall::sequence(const char* name, const MaybeTensor& tensor) const
{
    return checkedRows(kind, name, tensor, sizes, kind.io);
}

at::Tensor ScanCall::sequence(const char* name, const MaybeTensor& tensor, std::int64_t columns) const
{
    return checkedRows(kind, name, tensor, {steps(), batch(), columns}, kind.io);
}

at::Tensor ScanCall::state(const char* name, const MaybeTensor& tensor) const
{
    return checkedRows(kind, name, tensor, at::IntArrayRef(sizes).slice(1), kind.state());
}

at::Tensor ScanCall::emptySequence() const
{
    return at::empty(sizes, at::TensorOptions(kind.device).dtype(kind.io));
}

at::Tensor ScanCall::emptySequence(std::int64_t columns) const
{
    return at::empty({steps(), batch(), columns}, at::TensorOptions(kind.device).dtype(kind.io));
}

at::Tensor ScanCall::emptyState() const
{
    return at::empty(at::IntArrayRef(sizes).slice(1), at::TensorOptions(kind.device).dtype(kind.state()));
}

void ScanCall::fill(ScanDomain& domain) const
{
    domain.steps = steps();
    domain.batch = batch();
    domain.width = width();
    domain.reverse = reverse;
    domain.mask = stepMask(mask);
}

at::Tensor emptySymbolicState(const at::Tensor& sequence, at::SymIntArrayRef sizes)
{
    const CallKind kind{"", sequence.scalar_type(), sequence.device()};
    return at::empty_symint(sizes, sequence.options().dtype(kind.state()));
}

at::Tensor emptySymbolicLike(const at::Tensor& tensor)
{
    return at::empty_symint(tensor.sym_sizes(), tensor.options());
}

c10::OperatorHandle opNamed(const std::string& name)
{
    const std::string whole = "unroll::" + name;
    return c10::Dispatcher::singleton().findSchemaOrThrow(whole.c_str(), "");
}

} // namespace unroll::kernels
