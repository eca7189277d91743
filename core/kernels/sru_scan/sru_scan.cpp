// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan.h"

#include "core/kernels/common/on_cpu.h"
#include "core/kernels/sru_scan/sru_scan_cpu.h"
#include "core/kernels/sru_scan/sru_scan_tensors.h"

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

using ForwardOp = SruScanOutputs(const Tensor&, const Tensor&, const Tensor&, const MaybeTensor&, const MaybeTensor&,
                                 const MaybeTensor&, const MaybeTensor&, double, std::string_view, bool);
using BackwardOp = SruScanGradients(const Tensor&, const Tensor&, const Tensor&, const MaybeTensor&, const MaybeTensor&,
                                    const MaybeTensor&, const MaybeTensor&, const Tensor&, const MaybeTensor&,
                                    const MaybeTensor&, const MaybeTensor&, double, std::string_view, bool);

const auto& forwardOp()
{
    static const auto op = opNamed<ForwardOp>("unroll::sru_scan");
    return op;
}

const auto& backwardOp()
{
    static const auto op = opNamed<BackwardOp>("unroll::sru_scan_backward");
    return op;
}

// Shapes only, and those may be symbols: what tracing asks for. The weights are in the type of states.

SruScanOutputs forwardMeta(const Tensor& u, const Tensor& weightC, const Tensor&, const MaybeTensor&,
                           const MaybeTensor&, const MaybeTensor&, const MaybeTensor&, double, std::string_view, bool)
{
    TORCH_CHECK(u.dim() == 4, "sru_scan: u has ", u.dim(), " dimensions, expected [steps, batch, k, width]");
    const auto sequence = [&] { return at::empty_symint({u.sym_size(0), u.sym_size(1), u.sym_size(3)}, u.options()); };
    return {sequence(), sequence(), at::empty_symint({u.sym_size(1), u.sym_size(3)}, weightC.options())};
}

SruScanGradients backwardMeta(const Tensor& u, const Tensor& weightC, const Tensor& bias, const MaybeTensor& x,
                              const MaybeTensor&, const MaybeTensor&, const MaybeTensor&, const Tensor&,
                              const MaybeTensor&, const MaybeTensor&, const MaybeTensor&, double, std::string_view,
                              bool)
{
    return {emptySymbolicLike(u), emptySymbolicLike(weightC), emptySymbolicLike(bias),
            x ? emptySymbolicLike(*x) : at::empty_symint({0}, u.options()),
            at::empty_symint({u.sym_size(1), u.sym_size(3)}, weightC.options())};
}

class SruScanFunction : public torch::autograd::Function<SruScanFunction> {
public:
    static variable_list forward(AutogradContext* context, const Tensor& u, const Tensor& weightC, const Tensor& bias,
                                 const MaybeTensor& x, const MaybeTensor& initial, const MaybeTensor& mask,
                                 const MaybeTensor& dropout, double scaleX, std::string_view activation, bool reverse)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        auto [h, c, last] = forwardOp().call(u, weightC, bias, x, initial, mask, dropout, scaleX, activation, reverse);
        context->save_for_backward(
            {u, weightC, bias, orUndefined(x), orUndefined(initial), orUndefined(mask), orUndefined(dropout), c});
        context->saved_data["scaleX"] = scaleX;
        context->saved_data["activation"] = std::string(activation);
        context->saved_data["reverse"] = reverse;
        context->set_materialize_grads(false);
        return {h, c, last};
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        const std::string activation = context->saved_data["activation"].toStringRef();
        auto [u, weightC, bias, x, initial] = backwardOp().call(
            saved[0], saved[1], saved[2], ifDefined(saved[3]), ifDefined(saved[4]), ifDefined(saved[5]),
            ifDefined(saved[6]), saved[7], ifDefined(grads[0]), ifDefined(grads[1]), ifDefined(grads[2]),
            context->saved_data["scaleX"].toDouble(), activation, context->saved_data["reverse"].toBool());
        const Tensor none;
        return {u,    weightC, bias, saved[3].defined() ? x : none, saved[4].defined() ? initial : none, none, none,
                none, none,    none};
    }
};

SruScanOutputs forwardAutograd(const Tensor& u, const Tensor& weightC, const Tensor& bias, const MaybeTensor& x,
                               const MaybeTensor& initial, const MaybeTensor& mask, const MaybeTensor& dropout,
                               double scaleX, std::string_view activation, bool reverse)
{
    const variable_list out =
        SruScanFunction::apply(u, weightC, bias, x, initial, mask, dropout, scaleX, activation, reverse);
    return {out[0], out[1], out[2]};
}

} // namespace

SruScanResult sruScan(const SruScanArguments& a)
{
    auto [h, c, last] = forwardOp().call(a.u, a.weightC, a.bias, a.x, a.initial, a.mask, a.dropout, a.scaleX,
                                         activationName(a.activation), a.reverse);
    return {h, c, last};
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("sru_scan(Tensor u, Tensor weight_c, Tensor bias, Tensor? x=None, Tensor? initial=None, Tensor? mask=None, "
          "Tensor? dropout=None, *, float scale_x=1.0, str activation=\"identity\", bool reverse=False) "
          "-> (Tensor h, Tensor c, Tensor last)");
    m.def("sru_scan_backward(Tensor u, Tensor weight_c, Tensor bias, Tensor? x, Tensor? initial, Tensor? mask, Tensor? "
          "dropout, Tensor c, "
          "Tensor? grad_h, Tensor? grad_c, Tensor? grad_last, *, float scale_x=1.0, str activation=\"identity\", bool "
          "reverse=False) "
          "-> (Tensor grad_u, Tensor grad_weight_c, Tensor grad_bias, Tensor grad_x, Tensor grad_initial)");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("sru_scan", &sruScanForward<OnCpu>);
    m.impl("sru_scan_backward", &sruScanBackward<OnCpu>);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("sru_scan", &forwardMeta);
    m.impl("sru_scan_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("sru_scan", &forwardAutograd);
    m.impl("sru_scan_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
