// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/matrix_scan/matrix_scan.h"

#include "core/kernels/matrix_scan/matrix_scan_op.h"
#include "core/kernels/op/register_scan.h"

#include <ATen/ops/eye.h>
#include <c10/util/Exception.h>

#include <torch/library.h>

namespace unroll::kernels {
namespace {

at::IntArrayRef sizesOf(const char* op, const at::Tensor& m)
{
    TORCH_CHECK(m.dim() == 5 && m.size(3) == m.size(4), op, ": m has shape ", m.sizes(),
                ", expected [steps, batch, heads, n, n]");
    TORCH_CHECK(m.size(4) >= 1 && m.size(4) <= kMaxMatrixSize, op, ": m holds matrices of ", m.size(4),
                " rows, expected between 1 and ", kMaxMatrixSize);
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

SymbolicSequence MatrixScanSpec::symbolicSequence(const Arguments& in)
{
    TORCH_CHECK(in.m.dim() == 5, "matrix_scan: m has shape ", in.m.sym_sizes(),
                ", expected [steps, batch, heads, n, n]");
    return {in.m, in.m.sym_sizes().vec()};
}

MatrixScanSpec::Call::Call(const char* op, const Arguments& in, const at::Tensor&)
    : ScanCall(kindOf(op, "m", in.m), sizesOf(op, in.m), in.initial, in.mask, in.reverse),
      m(sequence("m", in.m)),
      joinedInitial(initial.defined() ? joined(initial, 1) : joinedIdentities(*this))
{}

at::Tensor MatrixScanSpec::Call::sequence(const char* argument, const MaybeTensor& tensor) const
{
    return joined(ScanCall::sequence(argument, tensor), 2);
}

at::Tensor MatrixScanSpec::Call::state(const char* argument, const MaybeTensor& tensor) const
{
    return joined(ScanCall::state(argument, tensor), 1);
}

MatrixScanResult matrixScan(const at::Tensor& m, const MaybeTensor& initial, const MaybeTensor& mask, bool reverse)
{
    auto [h, last] = ScanOp<MatrixScanSpec>::call({m, initial, mask, reverse});
    return {h, last};
}

UNROLL_REGISTER_SCAN(MatrixScanSpec)

} // namespace unroll::kernels
