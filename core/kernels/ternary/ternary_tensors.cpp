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

RoundedRows::RoundedRows(const CallKind& kind, const at::Tensor& input, const at::Tensor& factor)
    : x(checkedInputs(kind, "x", input, at::kFloat)),
      gain(checkedVector(kind, "gain", factor, input.size(-1))),
      codes(at::empty(input.sizes(), input.options().dtype(at::kChar))),
      step(at::empty(sizesOfRows(input, 1), input.options())),
      inverseRms(at::empty(step.sizes(), input.options()))
{}

RowQuantisation RoundedRows::quantisation(double epsilon) const
{
    return {.x = x.const_data_ptr<float>(),
            .gain = gain.const_data_ptr<float>(),
            .in = x.size(-1),
            .epsilon = epsilon,
            .codes = codes.mutable_data_ptr<std::int8_t>(),
            .step = step.mutable_data_ptr<float>(),
            .inverseRms = inverseRms.mutable_data_ptr<float>()};
}

PackedProduct::PackedProduct(const CallKind& kind, const at::Tensor& codes, const at::Tensor& packed,
                             const at::Tensor& scale, const MaybeTensor& offsets, std::int64_t out)
    : weight(kind, packed, scale, {out, codes.size(-1)}),
      bias(offsets && offsets->defined() ? checkedVector(kind, "bias", *offsets, out) : at::Tensor()),
      y(at::empty(sizesOfRows(codes, out), scale.options()))
{}

TernaryProduct PackedProduct::product(const at::Tensor& codes, const at::Tensor& step) const
{
    return {.codes = codes.const_data_ptr<std::int8_t>(),
            .step = step.const_data_ptr<float>(),
            .packed = weight.packed.const_data_ptr<std::uint8_t>(),
            .scale = weight.outputScales(),
            .bias = bias.defined() ? bias.const_data_ptr<float>() : nullptr,
            .shape = weight.shape,
            .y = y.mutable_data_ptr<float>()};
}

std::vector<std::int64_t> sizesOfRows(const at::Tensor& x, std::int64_t last)
{
    std::vector<std::int64_t> sizes = x.sizes().vec();
    sizes.back() = last;
    return sizes;
}

} // namespace unroll::kernels
