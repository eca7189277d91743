// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan_tensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/util/Exception.h>

namespace unroll::kernels {
namespace {

/// Width of one gate: the gates' widths together, shared out.
std::int64_t gateWidth(const char* op, at::TensorList gates, std::int64_t count)
{
    std::int64_t total = 0;
    for (const at::Tensor& gate : gates) {
        TORCH_CHECK(gate.dim() == 3, op, ": a gate tensor has shape ", gate.sizes(),
                    ", expected [steps, batch, n * width]");
        total += gate.size(2);
    }
    TORCH_CHECK(total % count == 0, op, ": the gates are ", total, " wide together, expected a multiple of ", count,
                count == 3 ? " (forget, candidate, output)" : " (forget, candidate)");
    return total / count;
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

GatedScanCall::GatedScanCall(const char* op, at::TensorList gateTensors, const std::optional<at::Tensor>& initialState,
                             const std::optional<at::Tensor>& maskTensor, std::string_view candidateWord,
                             bool outputGate, bool reversed)
    : candidate(activationNamed(op, "candidate", candidateWord,
                                {Activation::Identity, Activation::Tanh, Activation::Silu, Activation::Positive})),
      reverse(reversed)
{
    TORCH_CHECK(!gateTensors.empty(), op, ": no gate tensors came, expected 1 to 3");
    kind = kindOf(op, "a gate tensor", gateTensors[0]);
    width = gateWidth(op, gateTensors, outputGate ? 3 : 2);
    steps = gateTensors[0].size(0);
    batch = gateTensors[0].size(1);
    parts = gateParts(op, gateTensors, width);
    for (const at::Tensor& gate : gateTensors) {
        checkTensor(kind, "a gate tensor", gate, {steps, batch, gate.size(2)}, kind.io);
        gates.push_back(withContiguousRows(gate));
    }
    initial = checkedRows(kind, "initial", initialState, {batch, width}, kind.state());
    mask = checkedMask(kind, maskTensor, steps, batch);
}

at::Tensor GatedScanCall::emptySequence() const
{
    return at::empty({steps, batch, width}, at::TensorOptions(kind.device).dtype(kind.io));
}

at::Tensor GatedScanCall::emptyState() const
{
    return at::empty({batch, width}, at::TensorOptions(kind.device).dtype(kind.state()));
}

GatedScanGradientsIn::GatedScanGradientsIn(const GatedScanCall& call, const std::optional<at::Tensor>& u,
                                           const std::optional<at::Tensor>& h, const std::optional<at::Tensor>& last)
    : gradU(checkedRows(call.kind, "grad_u", u, {call.steps, call.batch, call.width}, call.kind.io)),
      gradH(checkedRows(call.kind, "grad_h", h, {call.steps, call.batch, call.width}, call.kind.io)),
      gradLast(checkedRows(call.kind, "grad_last", last, {call.batch, call.width}, call.kind.state()))
{}

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

at::Tensor checkedStates(const GatedScanCall& call, const at::Tensor& h)
{
    checkTensor(call.kind, "h", h, {call.steps, call.batch, call.width}, call.kind.io);
    return withContiguousRows(h);
}

} // namespace unroll::kernels
