// SPDX-License-Identifier: GPL-3.0-or-later
// The ternary ops on any device (TernaryOnCpu, TernaryOnCuda): arguments checked and turned into what the raw kernels
// are given.
#pragma once

#include "core/kernels/op/tensor_checks.h"
#include "core/kernels/ternary/ternary_params.h"

#include <ATen/ops/empty.h>

#include <tuple>
#include <vector>

namespace unroll::kernels {

using MaybeTensor = std::optional<at::Tensor>;
using ThreeTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using FourTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;
using TwoTensors = std::tuple<at::Tensor, at::Tensor>;

/// What the arguments of an op must agree on: fp32 where they are not codes, and the device of `first`.
CallKind ternaryKind(const char* op, const at::Tensor& first);

// All throw c10::Error unless the tensor is as it must be, and give it contiguous.

at::Tensor checkedInputs(const CallKind& kind, const char* name, const at::Tensor& tensor, at::ScalarType type);
at::Tensor checkedVector(const CallKind& kind, const char* name, const at::Tensor& tensor, std::int64_t size);
at::Tensor checkedWeight(const CallKind& kind, const at::Tensor& weight, std::int64_t scales);

/// A packed weight of `out` outputs and its scales.
struct CheckedPacked {
    CheckedPacked(const CallKind& kind, const at::Tensor& words, const at::Tensor& scales, PackedShape sizes);

    OutputScales outputScales() const;

    at::Tensor packed, scale;
    PackedShape shape;
};

OutputScales outputScales(const at::Tensor& scale, std::int64_t out);

/// The sizes of x with `last` numbers a row.
std::vector<std::int64_t> sizesOfRows(const at::Tensor& x, std::int64_t last);

inline std::int64_t rowCount(const at::Tensor& x)
{
    return x.numel() / x.size(-1);
}

/// What ternary_rows reads, checked, and what it writes, made.
struct RoundedRows {
    RoundedRows(const CallKind& kind, const at::Tensor& x, const at::Tensor& gain);

    RowQuantisation quantisation(double epsilon) const;

    at::Tensor x, gain, codes, step, inverseRms;
};

/// What ternary_product reads besides rows, checked, and y, made.
struct PackedProduct {
    PackedProduct(const CallKind& kind, const at::Tensor& codes, const at::Tensor& packed, const at::Tensor& scale,
                  const MaybeTensor& bias, std::int64_t out);

    TernaryProduct product(const at::Tensor& codes, const at::Tensor& step) const;

    CheckedPacked weight;
    at::Tensor bias, y;
};

/// codes, step, inverse rms
template <class Device>
ThreeTensors ternaryRowsOn(const at::Tensor& x, const at::Tensor& gain, double epsilon)
{
    const CallKind kind = ternaryKind("ternary_rows", x);
    const RoundedRows rows(kind, x, gain);
    Device(kind).quantise(rows.quantisation(epsilon), rowCount(x));
    return {rows.codes, rows.step, rows.inverseRms};
}

/// packed, scale
template <class Device>
TwoTensors ternaryPackOn(const at::Tensor& weight, std::int64_t scales)
{
    const CallKind kind = ternaryKind("ternary_pack", weight);
    const at::Tensor rows = checkedWeight(kind, weight, scales);
    const PackedShape shape{weight.size(0), weight.size(1)};
    at::Tensor scale = at::empty({scales}, weight.options());
    at::Tensor packed = at::empty({shape.panels(), shape.groups(), kPanelBytes}, weight.options().dtype(at::kByte));
    const at::Tensor sums = at::empty({shape.out}, weight.options().dtype(at::kDouble));
    const auto* numbers = rows.const_data_ptr<float>();
    const Device device(kind);
    device.findScales({numbers, shape, scales, sums.mutable_data_ptr<double>(), scale.mutable_data_ptr<float>()});
    device.pack({numbers, outputScales(scale, shape.out), shape, packed.mutable_data_ptr<std::uint8_t>()});
    return {packed, scale};
}

template <class Device>
at::Tensor ternaryUnpackOn(const at::Tensor& packed, const at::Tensor& scale, std::int64_t out, std::int64_t in)
{
    const CallKind kind = ternaryKind("ternary_unpack", packed);
    const CheckedPacked weight(kind, packed, scale, {out, in});
    at::Tensor effective = at::empty({out, in}, scale.options());
    Device(kind).unpack({weight.packed.const_data_ptr<std::uint8_t>(), weight.outputScales(), weight.shape,
                         effective.mutable_data_ptr<float>()});
    return effective;
}

template <class Device>
at::Tensor ternaryProductOn(const at::Tensor& codes, const at::Tensor& step, const at::Tensor& packed,
                            const at::Tensor& scale, const MaybeTensor& bias, std::int64_t out)
{
    const CallKind kind = ternaryKind("ternary_product", codes);
    const at::Tensor left = checkedInputs(kind, "codes", codes, at::kChar);
    checkTensor(kind, "step", step, sizesOfRows(codes, 1), at::kFloat);
    const PackedProduct made(kind, codes, packed, scale, bias, out);
    Device(kind).multiply(made.product(left, step.contiguous()), rowCount(codes));
    return made.y;
}

/// Both in one pass: y; codes, step, inverse rms
template <class Device>
FourTensors ternaryLayerOn(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& packed,
                           const at::Tensor& scale, const MaybeTensor& bias, std::int64_t out, double epsilon)
{
    const CallKind kind = ternaryKind("ternary_layer", x);
    const RoundedRows rows(kind, x, gain);
    const PackedProduct made(kind, rows.codes, packed, scale, bias, out);
    Device(kind).quantiseAndMultiply(rows.quantisation(epsilon), made.product(rows.codes, rows.step), rowCount(x));
    return {made.y, rows.codes, rows.step, rows.inverseRms};
}

/// Gradients of x and of gain.
template <class Device>
TwoTensors ternaryNormBackwardOn(const at::Tensor& gradN, const at::Tensor& x, const at::Tensor& inverseRms,
                                 const at::Tensor& gain)
{
    const CallKind kind = ternaryKind("ternary_norm_backward", x);
    const at::Tensor input = checkedInputs(kind, "x", x, at::kFloat);
    checkTensor(kind, "grad_n", gradN, x.sizes(), at::kFloat);
    checkTensor(kind, "inverse_rms", inverseRms, sizesOfRows(x, 1), at::kFloat);
    const at::Tensor factor = checkedVector(kind, "gain", gain, x.size(-1));
    const at::Tensor arriving = gradN.contiguous(), scale = inverseRms.contiguous();
    at::Tensor gradX = at::empty(x.sizes(), x.options()), gradGain = at::empty({x.size(-1)}, x.options());
    const std::int64_t rows = rowCount(x);
    const at::Tensor shares = at::empty({(rows + kGainRows - 1) / kGainRows, x.size(-1)}, x.options());
    const Device device(kind);
    device.normBackward({.gradN = arriving.const_data_ptr<float>(),
                         .x = input.const_data_ptr<float>(),
                         .inverseRms = scale.const_data_ptr<float>(),
                         .gain = factor.const_data_ptr<float>(),
                         .in = x.size(-1),
                         .gradX = gradX.mutable_data_ptr<float>(),
                         .gainShares = shares.mutable_data_ptr<float>()},
                        rows);
    device.sumOverBatch(shares, gradGain);
    return {gradX, gradGain};
}

} // namespace unroll::kernels
