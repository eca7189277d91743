// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan.h"

#include "core/kernels/common/on_cpu.h"
#include "core/kernels/gated_scan/gated_scan_cpu.h"
#include "core/kernels/gated_scan/gated_scan_tensors.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace unroll::kernels {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using ForwardOp = GatedScanOutputs(at::TensorList, const MaybeTensor&, const MaybeTensor&, std::string_view, bool,
                                   bool);
using BackwardOp = GatedScanGradients(at::TensorList, const MaybeTensor&, const MaybeTensor&, const Tensor&,
                                      const MaybeTensor&, const MaybeTensor&, const MaybeTensor&, std::string_view,
                                      bool, bool);

const auto& forwardOp()
{
    static const auto op = opNamed<ForwardOp>("unroll::gated_scan");
    return op;
}

const auto& backwardOp()
{
    static const auto op = opNamed<BackwardOp>("unroll::gated_scan_backward");
    return op;
}

c10::SymInt symbolicWidth(at::TensorList gates, bool outputGate)
{
    c10::SymInt total = 0;
    for (const Tensor& gate : gates)
        total = total + gate.sym_size(2);
    return total / (outputGate ? 3 : 2);
}

GatedScanOutputs forwardMeta(at::TensorList gates, const MaybeTensor&, const MaybeTensor&, std::string_view,
                             bool outputGate, bool)
{
    TORCH_CHECK(!gates.empty() && gates[0].dim() == 3,
                "gated_scan: expected 1 to 3 gate tensors [steps, batch, n * width]");
    const c10::SymInt steps = gates[0].sym_size(0);
    const c10::SymInt batch = gates[0].sym_size(1);
    const c10::SymInt width = symbolicWidth(gates, outputGate);
    const auto sequence = [&] { return at::empty_symint({steps, batch, width}, gates[0].options()); };
    return {sequence(), sequence(), emptySymbolicState(gates[0], {batch, width})};
}

GatedScanGradients backwardMeta(at::TensorList gates, const MaybeTensor&, const MaybeTensor&, const Tensor& h,
                                const MaybeTensor&, const MaybeTensor&, const MaybeTensor&, std::string_view, bool,
                                bool)
{
    std::vector<Tensor> gradients;
    for (const Tensor& gate : gates)
        gradients.push_back(emptySymbolicLike(gate));
    return {std::move(gradients), emptySymbolicState(h, {h.sym_size(1), h.sym_size(2)})};
}

class GatedScanFunction : public torch::autograd::Function<GatedScanFunction> {
public:
    static variable_list forward(AutogradContext* context, at::TensorList gates, const MaybeTensor& initial,
                                 const MaybeTensor& mask, std::string_view candidate, bool outputGate, bool reverse)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        auto [u, h, last] = forwardOp().call(gates, initial, mask, candidate, outputGate, reverse);
        variable_list saved(gates.begin(), gates.end());
        saved.insert(saved.end(), {orUndefined(initial), orUndefined(mask), h});
        context->save_for_backward(std::move(saved));
        context->saved_data["candidate"] = std::string(candidate);
        context->saved_data["outputGate"] = outputGate;
        context->saved_data["reverse"] = reverse;
        context->set_materialize_grads(false);
        return {u, h, last};
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        const std::size_t count = saved.size() - 3;
        const std::string candidate = context->saved_data["candidate"].toStringRef();
        auto [gates, initial] = backwardOp().call(
            at::TensorList(saved.data(), count), ifDefined(saved[count]), ifDefined(saved[count + 1]), saved[count + 2],
            ifDefined(grads[0]), ifDefined(grads[1]), ifDefined(grads[2]), candidate,
            context->saved_data["outputGate"].toBool(), context->saved_data["reverse"].toBool());
        variable_list result = std::move(gates);
        result.push_back(saved[count].defined() ? initial : Tensor());
        result.resize(count + 5); // mask, candidate, outputGate and reverse have no gradient
        return result;
    }
};

GatedScanOutputs forwardAutograd(at::TensorList gates, const MaybeTensor& initial, const MaybeTensor& mask,
                                 std::string_view candidate, bool outputGate, bool reverse)
{
    const variable_list out = GatedScanFunction::apply(gates, initial, mask, candidate, outputGate, reverse);
    return {out[0], out[1], out[2]};
}

} // namespace

GatedScanResult gatedScan(at::TensorList gates, const MaybeTensor& initial, const MaybeTensor& mask,
                          const GatedScanOptions& options)
{
    auto [u, h, last] =
        forwardOp().call(gates, initial, mask, activationName(options.candidate), options.outputGate, options.reverse);
    return {u, h, last};
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("gated_scan(Tensor[] gates, Tensor? initial=None, Tensor? mask=None, *, str candidate=\"silu\", bool "
          "output_gate=True, "
          "bool reverse=False) -> (Tensor u, Tensor h, Tensor last)");
    m.def("gated_scan_backward(Tensor[] gates, Tensor? initial, Tensor? mask, Tensor h, Tensor? grad_u, Tensor? "
          "grad_h, Tensor? grad_last, "
          "*, str candidate=\"silu\", bool output_gate=True, bool reverse=False) -> (Tensor[] grad_gates, Tensor "
          "grad_initial)");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("gated_scan", &gatedScanForward<OnCpu>);
    m.impl("gated_scan_backward", &gatedScanBackward<OnCpu>);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("gated_scan", &forwardMeta);
    m.impl("gated_scan_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("gated_scan", &forwardAutograd);
    m.impl("gated_scan_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
