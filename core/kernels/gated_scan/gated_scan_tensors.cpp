// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan_tensors.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

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

GatedScanCall::GatedScanCall(const char* op, at::TensorList gateTensors, const MaybeTensor& initialState,
                             const MaybeTensor& maskTensor, std::string_view candidateWord, bool outputGate,
                             bool reversed)
    : ScanCall(kindOf(op, "a gate tensor", firstGate(op, gateTensors)), sizesOf(op, gateTensors, outputGate ? 3 : 2),
               initialState, maskTensor, reversed),
      candidate(activationNamed(op, "candidate", candidateWord,
                                {Activation::Identity, Activation::Tanh, Activation::Silu, Activation::Positive})),
      parts(gateParts(op, gateTensors, width()))
{
    for (const at::Tensor& gate : gateTensors) {
        checkTensor(kind, "a gate tensor", gate, {steps(), batch(), gate.size(2)}, kind.io);
        gates.push_back(withContiguousRows(gate));
    }
}

GatedScanOutputs emptyOutputs(const GatedScanCall& call)
{
    return {call.emptySequence(), call.emptySequence(), call.emptyState()};
}

GatedScanGradients emptyGradients(const GatedScanCall& call)
{
    std::vector<at::Tensor> gates;
    for (const at::Tensor& gate : call.gates)
        gates.push_back(at::empty(gate.sizes(), gate.options()));
    return {std::move(gates), call.emptyState()};
}

} // namespace unroll::kernels
