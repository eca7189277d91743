// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/matrix_scan/matrix_scan_tensors.h"

#include <ATen/ops/eye.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {
namespace {

at::IntArrayRef sizesOf(const char* op, const at::Tensor& m)
{
    TORCH_CHECK(m.dim() == 5 && m.size(3) == m.size(4), op, ": m has shape ", m.sizes(),
                ", expected [steps, batch, heads, n, n]");
    TORCH_CHECK(m.size(4) >= 1 && m.size(4) <= maxMatrixSize, op, ": m holds matrices of ", m.size(4),
                " rows, expected between 1 and ", maxMatrixSize);
    return m.sizes();
}

at::Tensor joined(const at::Tensor& tensor, std::int64_t first)
{
    return tensor.defined() ? withContiguousRows(tensor.flatten(first)) : tensor;
}

/// Every state the identity.
at::Tensor joinedIdentities(const ScanCall& call)
{
    const std::int64_t heads = call.sizes[2], n = call.sizes[3];
    const at::Tensor identity = at::eye(n, at::TensorOptions(call.kind.device).dtype(call.kind.state()));
    return identity.expand({heads, n, n}).reshape(-1).contiguous().expand({call.batch(), heads * n * n});
}

} // namespace

MatrixScanCall::MatrixScanCall(const char* op, const at::Tensor& matrices, const MaybeTensor& initialState,
                               const MaybeTensor& maskTensor, bool reversed)
    : ScanCall(kindOf(op, "m", matrices), sizesOf(op, matrices), initialState, maskTensor, reversed),
      m(joinedSequence("m", matrices)),
      joinedInitial(initial.defined() ? joined(initial, 1) : joinedIdentities(*this))
{}

at::Tensor MatrixScanCall::joinedSequence(const char* name, const MaybeTensor& tensor) const
{
    return joined(sequence(name, tensor), 2);
}

at::Tensor MatrixScanCall::joinedState(const char* name, const MaybeTensor& tensor) const
{
    return joined(state(name, tensor), 1);
}

} // namespace unroll::kernels
