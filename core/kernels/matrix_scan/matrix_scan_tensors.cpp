// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/matrix_scan/matrix_scan_tensors.h"

#include "core/kernels/matrix_scan/matrix_scan.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {

MatrixScanCall::MatrixScanCall(const char* op, const at::Tensor& matrices,
                               const std::optional<at::Tensor>& initialState,
                               const std::optional<at::Tensor>& maskTensor, bool reversed)
    : kind(kindOf(op, "m", matrices)), reverse(reversed)
{
    TORCH_CHECK(matrices.dim() == 5 && matrices.size(3) == matrices.size(4), op, ": m has shape ", matrices.sizes(),
                ", expected [steps, batch, heads, n, n]");
    steps = matrices.size(0);
    batch = matrices.size(1);
    heads = matrices.size(2);
    size = matrices.size(3);
    TORCH_CHECK(size >= 1 && size <= maxMatrixSize, op, ": m holds matrices of ", size,
                " rows, expected between 1 and ", maxMatrixSize);
    m = sequenceRows("m", matrices);
    initial = stateRows("initial", initialState);
    if (!initial.defined()) {
        const at::Tensor identity = at::eye(size, at::TensorOptions(kind.device).dtype(kind.state()));
        initial = identity.expand({heads, size, size}).reshape(-1).expand({batch, heads * size * size});
    }
    mask = checkedMask(kind, maskTensor, steps, batch);
}

at::Tensor MatrixScanCall::sequenceRows(const char* name, const std::optional<at::Tensor>& tensor) const
{
    if (!tensor.has_value())
        return {};
    checkTensor(kind, name, *tensor, {steps, batch, heads, size, size}, kind.io);
    return withContiguousRows(tensor->flatten(2));
}

at::Tensor MatrixScanCall::stateRows(const char* name, const std::optional<at::Tensor>& tensor) const
{
    if (!tensor.has_value())
        return {};
    checkTensor(kind, name, *tensor, {batch, heads, size, size}, kind.state());
    return withContiguousRows(tensor->flatten(1));
}

at::Tensor MatrixScanCall::emptySequence() const
{
    return at::empty({steps, batch, heads, size, size}, at::TensorOptions(kind.device).dtype(kind.io));
}

at::Tensor MatrixScanCall::emptyState() const
{
    return at::empty({batch, heads, size, size}, at::TensorOptions(kind.device).dtype(kind.state()));
}

MatrixScanBackwardIn::MatrixScanBackwardIn(const MatrixScanCall& call, const at::Tensor& states,
                                           const std::optional<at::Tensor>& gradStates,
                                           const std::optional<at::Tensor>& gradLastState)
    : h(call.sequenceRows("h", states)),
      gradH(call.sequenceRows("grad_h", gradStates)),
      gradLast(call.stateRows("grad_last", gradLastState))
{}

std::tuple<at::Tensor, at::Tensor> emptyPair(const MatrixScanCall& call)
{
    return {call.emptySequence(), call.emptyState()};
}

} // namespace unroll::kernels
