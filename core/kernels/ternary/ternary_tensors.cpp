// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/ternary/ternary_tensors.h"

#include <c10/util/Exception.h>

namespace unroll::kernels {
namespace {

constexpr std::int64_t kMostInputs = 1 << 23; // more could overflow a sum of int32

void checkScales(const char* op, std::int64_t out, std::int64_t scales)
{
    TORCH_CHECK(scales >= 1 && out % scales == 0, op, ": scales is ", scales, ", expected a divisor of the ", out,
                " outputs");
}

} // namespace

CallKind ternaryKind(const char* op, const at::Tensor& first)
{
    return {op, at::kFloat, first.device()};
}

at::Tensor checkedInputs(const CallKind& kind, const char* name, const at::Tensor& tensor, at::ScalarType type)
{
    TORCH_CHECK(tensor.dim() >= 1 && tensor.size(-1) >= 1 && tensor.size(-1) < kMostInputs, kind.op, ": ", name,
                " has shape ", tensor.sizes(), ", expected [..., inputs] with 1 to ", kMostInputs - 1, " inputs");
    checkTensor(kind, name, tensor, tensor.sizes(), type);
    return tensor.contiguous();
}

at::Tensor checkedVector(const CallKind& kind, const char* name, const at::Tensor& tensor, std::int64_t size)
{
    checkTensor(kind, name, tensor, {size}, at::kFloat);
    return tensor.contiguous();
}

at::Tensor checkedWeight(const CallKind& kind, const at::Tensor& weight, std::int64_t scales)
{
    TORCH_CHECK(weight.dim() == 2 && weight.size(0) >= 1, kind.op, ": weight has shape ", weight.sizes(),
                ", expected [outputs, inputs] with at least one of each");
    checkScales(kind.op, weight.size(0), scales);
    return checkedInputs(kind, "weight", weight, at::kFloat);
}

CheckedPacked::CheckedPacked(const CallKind& kind, const at::Tensor& words, const at::Tensor& scales, PackedShape sizes)
    : packed(words.contiguous()), scale(scales.contiguous()), shape(sizes)
{
    TORCH_CHECK(shape.out >= 1 && shape.in >= 1, kind.op, ": ", shape.out, " outputs of ", shape.in,
                " inputs, expected one at least of each");
    checkTensor(kind, "packed", packed, {shape.panels(), shape.groups(), kPanelBytes}, at::kByte);
    checkTensor(kind, "scale", scale, {scale.numel()}, at::kFloat);
    checkScales(kind.op, shape.out, scale.numel());
}

OutputScales CheckedPacked::outputScales() const
{
    return kernels::outputScales(scale, shape.out);
}

OutputScales outputScales(const at::Tensor& scale, std::int64_t out)
{
    return {scale.const_data_ptr<float>(), out / scale.numel()};
}

std::vector<std::int64_t> sizesOfRows(const at::Tensor& x, std::int64_t last)
{
    std::vector<std::int64_t> sizes = x.sizes().vec();
    sizes.back() = last;
    return sizes;
}

} // namespace unroll::kernels
