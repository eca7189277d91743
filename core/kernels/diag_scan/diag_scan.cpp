// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan.h"

#include "core/kernels/common/on_cpu.h"
#include "core/kernels/diag_scan/diag_scan_cpu.h"
#include "core/kernels/diag_scan/diag_scan_tensors.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace unroll::kernels {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using ForwardOp = DiagScanOutputs(const Tensor&, const Tensor&, const MaybeTensor&, const MaybeTensor&, bool);
using BackwardOp = DiagScanGradients(const Tensor&, const MaybeTensor&, const MaybeTensor&, const Tensor&,
                                     const MaybeTensor&, const MaybeTensor&, bool);

const auto& forwardOp()
{
    static const auto op = opNamed<ForwardOp>("unroll::diag_scan");
    return op;
}

const auto& backwardOp()
{
    static const auto op = opNamed<BackwardOp>("unroll::diag_scan_backward");
    return op;
}

DiagScanOutputs forwardMeta(const Tensor&, const Tensor& b, const MaybeTensor&, const MaybeTensor&, bool)
{
    TORCH_CHECK(b.dim() == 3, "diag_scan: b has shape ", b.sym_sizes(), ", expected [steps, batch, width]");
    return {emptySymbolicLike(b), emptySymbolicState(b, {b.sym_size(1), b.sym_size(2)})};
}

DiagScanGradients backwardMeta(const Tensor& a, const MaybeTensor&, const MaybeTensor&, const Tensor& h,
                               const MaybeTensor&, const MaybeTensor&, bool)
{
    return {emptySymbolicLike(a), emptySymbolicLike(h), emptySymbolicState(h, {h.sym_size(1), h.sym_size(2)})};
}

class DiagScanFunction : public torch::autograd::Function<DiagScanFunction> {
public:
    static variable_list forward(AutogradContext* context, const Tensor& a, const Tensor& b, const MaybeTensor& initial,
                                 const MaybeTensor& mask, bool reverse)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        auto [h, last] = forwardOp().call(a, b, initial, mask, reverse);
        context->save_for_backward({a, orUndefined(initial), orUndefined(mask), h});
        context->saved_data["reverse"] = reverse;
        context->set_materialize_grads(false);
        return {h, last};
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        const auto [a, b, initial] =
            backwardOp().call(saved[0], ifDefined(saved[1]), ifDefined(saved[2]), saved[3], ifDefined(grads[0]),
                              ifDefined(grads[1]), context->saved_data["reverse"].toBool());
        return {a, b, saved[1].defined() ? initial : Tensor(), Tensor(), Tensor()};
    }
};

DiagScanOutputs forwardAutograd(const Tensor& a, const Tensor& b, const MaybeTensor& initial, const MaybeTensor& mask,
                                bool reverse)
{
    const variable_list out = DiagScanFunction::apply(a, b, initial, mask, reverse);
    return {out[0], out[1]};
}

} // namespace

DiagScanResult diagScan(const Tensor& a, const Tensor& b, const MaybeTensor& initial, const MaybeTensor& mask,
                        bool reverse)
{
    auto [h, last] = forwardOp().call(a, b, initial, mask, reverse);
    return {h, last};
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("diag_scan(Tensor a, Tensor b, Tensor? initial=None, Tensor? mask=None, *, bool reverse=False) "
          "-> (Tensor h, Tensor last)");
    m.def("diag_scan_backward(Tensor a, Tensor? initial, Tensor? mask, Tensor h, Tensor? grad_h, Tensor? grad_last, "
          "*, bool reverse=False) -> (Tensor grad_a, Tensor grad_b, Tensor grad_initial)");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("diag_scan", &diagScanForward<OnCpu>);
    m.impl("diag_scan_backward", &diagScanBackward<OnCpu>);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("diag_scan", &forwardMeta);
    m.impl("diag_scan_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("diag_scan", &forwardAutograd);
    m.impl("diag_scan_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
