// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan.h"

#include "core/kernels/gated_scan/gated_scan_op.h"
#include "core/kernels/op/register_scan.h"

#include <c10/util/Exception.h>

#include <torch/library.h>

namespace unroll::kernels {
namespace {

const at::Tensor& firstGate(const char* op, at::TensorList gates)
{
    TORCH_CHECK(!gates.empty(), op, ": no gate tensors came, expected 1 to 3");
    return gates[0];
}

/// The width is that of one gate: the gates' widths together, shared out.
std::vector<std::int64_t> sizesOf(const char* op, at::TensorList gates, std::int64_t count)
{
    const at::Tensor& first = firstGate(op, gates);
    std::int64_t total = 0;
    for (const at::Tensor& gate : gates) {
        TORCH_CHECK(gate.dim() == 3, op, ": a gate tensor has shape ", gate.sizes(),
                    ", expected [steps, batch, n * width]");
        total += gate.size(2);
    }
    TORCH_CHECK(total % count == 0, op, ": the gates are ", total, " wide together, expected a multiple of ", count,
                count == 3 ? " (forget, candidate, output)" : " (forget, candidate)");
    return {first.size(0), first.size(1), total / count};
}

/// Where each gate lies. A gate may not straddle two tensors.
std::vector<GatePart> gateParts(const char* op, at::TensorList gates, std::int64_t width)
{
    std::vector<GatePart> parts;
    for (std::size_t i = 0; i < gates.size(); ++i) {
        const std::int64_t size = gates[i].size(2);
        TORCH_CHECK(width == 0 || size % width == 0, op, ": gate tensor ", i, " is ", size,
                    " wide, expected a multiple of the width ", width);
        for (std::int64_t offset = 0; offset < size; offset += width)
            parts.push_back({i, offset});
    }
    return parts;
}

} // namespace

SymbolicSequence GatedScanSpec::symbolicSequence(const Arguments& in)
{
    TORCH_CHECK(!in.gates.empty() && in.gates[0].dim() == 3,
                "gated_scan: expected 1 to 3 gate tensors [steps, batch, n * width]");
    const at::Tensor& first = in.gates[0];
    c10::SymInt total = 0;
    for (const at::Tensor& gate : in.gates)
        total = total + gate.sym_size(2);
    return {first, {first.sym_size(0), first.sym_size(1), total / (in.outputGate ? 3 : 2)}};
}

GatedScanSpec::Call::Call(const char* op, const Arguments& in, const at::Tensor&)
    : ScanCall(kindOf(op, "a gate tensor", firstGate(op, in.gates)), sizesOf(op, in.gates, in.outputGate ? 3 : 2),
               in.initial, in.mask, in.reverse),
      candidate(activationNamed(op, "candidate", in.candidate,
                                {Activation::Identity, Activation::Tanh, Activation::Silu, Activation::Positive})),
      parts(gateParts(op, in.gates, width()))
{
    for (const at::Tensor& gate : in.gates) {
        checkTensor(kind, "a gate tensor", gate, {steps(), batch(), gate.size(2)}, kind.io);
        gates.push_back(withContiguousRows(gate));
    }
}

GatedScanResult gatedScan(at::TensorList gates, const MaybeTensor& initial, const MaybeTensor& mask,
                          const GatedScanOptions& options)
{
    auto [u, h, last] =
        ScanOp<GatedScanSpec>::call({gates.vec(), initial, mask, std::string(activationName(options.candidate)),
                                     options.outputGate, options.reverse});
    return {u, h, last};
}

UNROLL_REGISTER_SCAN(GatedScanSpec)

} // namespace unroll::kernels
