// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/op/steps_call.h"

#include <c10/util/Exception.h>

namespace unroll::kernels {
namespace {

/// Steps, batch and d.
std::vector<std::int64_t> sizesOf(const char* op, const StepsSequence& like)
{
    const auto& [name, tensor, parts] = like;
    TORCH_CHECK(tensor.dim() == 3 && tensor.size(2) % parts == 0, op, ": ", name, " has shape ", tensor.sizes(),
                ", expected [steps, batch, ", parts == 1 ? "" : std::to_string(parts) + " ", "width]");
    return {tensor.size(0), tensor.size(1), tensor.size(2) / parts};
}

} // namespace

StepsCall::StepsCall(const char* op, const StepsSequence& like, const at::Tensor& weightHh, std::int64_t gates,
                     const MaybeTensor& initialState, const MaybeTensor& maskTensor, bool reversed)
    : ScanCall(kindOf(op, like.name, like.tensor), sizesOf(op, like), initialState, maskTensor, reversed),
      weight(weightHh)
{
    TORCH_CHECK(kind.io != at::kBFloat16, op, ": ", like.name, " is ", kind.io, "; expected float32 or float64");
    checkTensor(kind, "weight", weight, {gates * width(), width()}, kind.state());
}

at::Tensor StepsCall::wide(const StepsSequence& sequence) const
{
    return checkedRows(kind, sequence.name, sequence.tensor, {steps(), batch(), sequence.parts * width()}, kind.io);
}

} // namespace unroll::kernels
