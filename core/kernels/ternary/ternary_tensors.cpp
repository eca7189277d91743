// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/ternary/ternary_tensors.h"

#include "core/kernels/common/batch_sum.h"
#include "core/kernels/ternary/ternary.h"
#include "core/kernels/ternary/ternary_cpu.h"
#include "core/kernels/ternary/ternary_product_cpu.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace unroll::kernels {
namespace {

// Some ten microseconds of work, several times what waking a thread costs.
constexpr std::int64_t kNumbersAThread = 32768;
constexpr std::int64_t kProductsAThread = 1 << 20;
constexpr std::int64_t kGainRows = 256;       // whose share of the gain's gradient is summed apart: not by thread
constexpr std::int64_t kMostInputs = 1 << 23; // more could overflow a sum of int32

CallKind floats(const char* op)
{
    return {op, at::kFloat, at::kCPU};
}

/// Throws unless `tensor` is [..., inputs] of this type; contiguous then.
at::Tensor checkedInput(const CallKind& kind, const char* name, const at::Tensor& tensor, at::ScalarType type)
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

/// The sizes of x with `last` numbers a row.
std::vector<std::int64_t> rowsOf(const at::Tensor& x, std::int64_t last)
{
    std::vector<std::int64_t> sizes = x.sizes().vec();
    sizes.back() = last;
    return sizes;
}

/// Calls body(range) on shares of `count` pieces of `size` numbers each.
template <class Body>
void inParallel(std::int64_t count, std::int64_t size, std::int64_t aThread, const Body& body)
{
    const std::int64_t grain = std::max<std::int64_t>(1, aThread / std::max<std::int64_t>(1, size));
    at::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) { body(RowRange{begin, end}); });
}

std::int64_t rowCount(const at::Tensor& x)
{
    return x.numel() / x.size(-1);
}

/// a of each part, summed a row at a time in their order.
at::Tensor scaleOf(const at::Tensor& weight, std::int64_t scales)
{
    const std::int64_t out = weight.size(0), in = weight.size(1), part = out / scales;
    std::vector<double> sums(static_cast<std::size_t>(out));
    inParallel(out, in, kNumbersAThread,
               [&](RowRange rows) { absoluteSumsOnCpu(weight.const_data_ptr<float>(), in, rows, sums.data()); });
    at::Tensor scale = at::empty({scales}, weight.options());
    for (std::int64_t i = 0; i < scales; ++i) {
        const double sum = std::accumulate(sums.begin() + i * part, sums.begin() + (i + 1) * part, 0.0);
        const double mean = sum / static_cast<double>(part * in);
        scale.mutable_data_ptr<float>()[i] = static_cast<float>(mean < kTernaryFloor ? kTernaryFloor : mean);
    }
    return scale;
}

/// The scale of each output, zeros behind them up to `size`.
std::vector<float> scaleOfOutputs(const at::Tensor& scale, std::int64_t out, std::int64_t size)
{
    std::vector<float> scales(static_cast<std::size_t>(size));
    for (std::int64_t o = 0; o < out; ++o)
        scales[static_cast<std::size_t>(o)] = scale.const_data_ptr<float>()[o / (out / scale.numel())];
    return scales;
}

void checkScales(const char* op, std::int64_t out, std::int64_t scales)
{
    TORCH_CHECK(scales >= 1 && out % scales == 0, op, ": scales is ", scales, ", expected a divisor of the ", out,
                " outputs");
}

PackedShape checkedPacked(const CallKind& kind, const at::Tensor& packed, const at::Tensor& scale, std::int64_t out,
                          std::int64_t in)
{
    const PackedShape shape{out, in};
    TORCH_CHECK(out >= 1 && in >= 1, kind.op, ": ", out, " outputs of ", in, " inputs, expected one at least of each");
    checkTensor(kind, "packed", packed, {shape.panels(), shape.groups(), kPanelBytes}, at::kByte);
    checkTensor(kind, "scale", scale, {scale.numel()}, at::kFloat);
    checkScales(kind.op, out, scale.numel());
    return shape;
}

} // namespace

ThreeTensors ternaryRowsOnCpu(const at::Tensor& x, const at::Tensor& gain, double epsilon)
{
    const CallKind kind = floats("ternary_rows");
    const at::Tensor input = checkedInput(kind, "x", x, at::kFloat);
    const at::Tensor factor = checkedVector(kind, "gain", gain, x.size(-1));
    at::Tensor codes = at::empty(x.sizes(), x.options().dtype(at::kChar));
    at::Tensor step = at::empty(rowsOf(x, 1), x.options()), inverseRms = at::empty(rowsOf(x, 1), x.options());
    const RowQuantisation p = {.x = input.const_data_ptr<float>(),
                               .gain = factor.const_data_ptr<float>(),
                               .in = x.size(-1),
                               .epsilon = epsilon,
                               .codes = codes.mutable_data_ptr<std::int8_t>(),
                               .step = step.mutable_data_ptr<float>(),
                               .inverseRms = inverseRms.mutable_data_ptr<float>()};
    inParallel(rowCount(x), p.in, kNumbersAThread, [&](RowRange rows) { quantiseRowsOnCpu(p, rows); });
    return {codes, step, inverseRms};
}

TwoTensors ternaryPackOnCpu(const at::Tensor& weight, std::int64_t scales)
{
    const CallKind kind = floats("ternary_pack");
    TORCH_CHECK(weight.dim() == 2 && weight.size(0) >= 1, kind.op, ": weight has shape ", weight.sizes(),
                ", expected [outputs, inputs] with at least one of each");
    const at::Tensor rows = checkedInput(kind, "weight", weight, at::kFloat);
    const PackedShape shape{weight.size(0), weight.size(1)};
    checkScales(kind.op, shape.out, scales);
    const at::Tensor scale = scaleOf(rows, scales);
    const std::vector<float> scaleOfRow = scaleOfOutputs(scale, shape.out, shape.out);
    at::Tensor packed = at::empty({shape.panels(), shape.groups(), kPanelBytes}, weight.options().dtype(at::kByte));
    const WeightPacking p = {rows.const_data_ptr<float>(), scaleOfRow.data(), shape,
                             packed.mutable_data_ptr<std::uint8_t>()};
    inParallel(shape.panels(), kPanelOutputs * shape.in, kNumbersAThread,
               [&](RowRange panels) { packPanelsOnCpu(p, panels); });
    return {packed, scale};
}

at::Tensor ternaryUnpackOnCpu(const at::Tensor& packed, const at::Tensor& scale, std::int64_t out, std::int64_t in)
{
    const PackedShape shape = checkedPacked(floats("ternary_unpack"), packed, scale, out, in);
    const at::Tensor codes = packed.contiguous();
    const std::vector<float> scaleOfRow = scaleOfOutputs(scale.contiguous(), out, out);
    at::Tensor effective = at::empty({out, in}, scale.options());
    inParallel(out, in, kNumbersAThread, [&](RowRange rows) {
        unpackRowsOnCpu(codes.const_data_ptr<std::uint8_t>(), shape, scaleOfRow.data(), rows,
                        effective.mutable_data_ptr<float>());
    });
    return effective;
}

at::Tensor ternaryProductOnCpu(const at::Tensor& codes, const at::Tensor& step, const at::Tensor& packed,
                               const at::Tensor& scale, const MaybeTensor& bias, std::int64_t out)
{
    const CallKind kind = floats("ternary_product");
    const at::Tensor left = checkedInput(kind, "codes", codes, at::kChar);
    checkTensor(kind, "step", step, rowsOf(codes, 1), at::kFloat);
    const PackedShape shape = checkedPacked(kind, packed, scale, out, codes.size(-1));
    std::vector<float> offsets(static_cast<std::size_t>(shape.panels() * kPanelOutputs));
    if (bias && bias->defined()) {
        const at::Tensor checked = checkedVector(kind, "bias", *bias, out);
        std::copy_n(checked.const_data_ptr<float>(), out, offsets.begin());
    }
    const std::vector<float> scales =
        scaleOfOutputs(scale.contiguous(), out, static_cast<std::int64_t>(offsets.size()));
    const at::Tensor steps = step.contiguous(), weights = packed.contiguous();
    at::Tensor y = at::empty(rowsOf(codes, out), step.options());
    const TernaryProduct p = {left.const_data_ptr<std::int8_t>(),
                              steps.const_data_ptr<float>(),
                              weights.const_data_ptr<std::uint8_t>(),
                              scales.data(),
                              offsets.data(),
                              shape,
                              y.mutable_data_ptr<float>()};
    const std::int64_t rows = rowCount(codes);
    const std::int64_t high = (rows + kTileRows - 1) / kTileRows,
                       wide = (shape.panels() + kTilePanels - 1) / kTilePanels;
    const std::int64_t products = kTilePanels * kPanelOutputs * shape.in * std::min(rows, kTileRows);
    inParallel(high * wide, products, kProductsAThread, [&](RowRange tiles) {
        for (std::int64_t i = tiles.begin; i < tiles.end; ++i) {
            const std::int64_t row = i / wide * kTileRows, panel = i % wide * kTilePanels;
            multiplyTileOnCpu(p, {.rows = {row, std::min(rows, row + kTileRows)},
                                  .panels = {panel, std::min(shape.panels(), panel + kTilePanels)}});
        }
    });
    return y;
}

TwoTensors ternaryNormBackwardOnCpu(const at::Tensor& gradN, const at::Tensor& x, const at::Tensor& inverseRms,
                                    const at::Tensor& gain)
{
    const CallKind kind = floats("ternary_norm_backward");
    const at::Tensor input = checkedInput(kind, "x", x, at::kFloat);
    checkTensor(kind, "grad_n", gradN, x.sizes(), at::kFloat);
    checkTensor(kind, "inverse_rms", inverseRms, rowsOf(x, 1), at::kFloat);
    const at::Tensor factor = checkedVector(kind, "gain", gain, x.size(-1));
    const at::Tensor arriving = gradN.contiguous(), scale = inverseRms.contiguous();
    at::Tensor gradX = at::empty(x.sizes(), x.options());
    const NormGradient p = {arriving.const_data_ptr<float>(),
                            input.const_data_ptr<float>(),
                            scale.const_data_ptr<float>(),
                            factor.const_data_ptr<float>(),
                            x.size(-1),
                            gradX.mutable_data_ptr<float>()};
    const std::int64_t rows = rowCount(x), blocks = (rows + kGainRows - 1) / kGainRows;
    at::Tensor shares = at::empty({blocks, p.in}, x.options()), gradGain = at::empty({p.in}, x.options());
    auto* share = shares.mutable_data_ptr<float>();
    inParallel(blocks, kGainRows * p.in, kNumbersAThread, [&](RowRange some) {
        for (std::int64_t i = some.begin; i < some.end; ++i)
            normBackwardOnCpu(p, {i * kGainRows, std::min(rows, (i + 1) * kGainRows)}, share + i * p.in);
    });
    sumOverBatch(share, blocks, p.in, p.in, gradGain.mutable_data_ptr<float>());
    return {gradX, gradGain};
}

} // namespace unroll::kernels
