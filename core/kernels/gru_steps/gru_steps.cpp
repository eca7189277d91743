// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gru_steps/gru_steps.h"

#include "core/kernels/gru_steps/gru_steps_tensors.h"

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

const auto& forwardOp()
{
    static const auto op = opNamed<decltype(gruStepsForward)>("gru_steps");
    return op;
}

const auto& backwardOp()
{
    static const auto op = opNamed<decltype(gruStepsBackward)>("gru_steps_backward");
    return op;
}

// Shapes only, and those may be symbols: what tracing asks for. The weight is (3d,d).

GruStepsOutputs forwardMeta(const Tensor& u, const Tensor& weight, const MaybeTensor&, const MaybeTensor&,
                            const MaybeTensor&, std::string_view, bool, bool keeps)
{
    TORCH_CHECK(u.dim() == 3, "gru_steps: u has ", u.dim(), " dimensions, expected [steps, batch, 3 width]");
    const at::SymInt steps = u.sym_size(0), batch = u.sym_size(1), width = weight.sym_size(1);
    const Tensor kept =
        keeps ? at::empty_symint({steps, batch, 4 * width}, u.options()) : at::empty_symint({0}, u.options());
    return {at::empty_symint({steps, batch, width}, u.options()), emptySymbolicState(u, {batch, width}), kept};
}

GruStepsGradients backwardMeta(const Tensor& weight, const MaybeTensor&, const MaybeTensor&, const Tensor& h,
                               const Tensor&, const MaybeTensor&, const MaybeTensor&, std::string_view convention, bool)
{
    const at::SymInt steps = h.sym_size(0), batch = h.sym_size(1), width = h.sym_size(2);
    const bool after = convention == gruConventionName(GruConvention::ResetAfter);
    const Tensor gradients = at::empty_symint({steps, batch, (after ? 4 : 3) * width}, h.options());
    return {gradients.narrow_symint(2, after ? width : at::SymInt(0), 3 * width),
            at::empty_symint(weight.sym_sizes(), weight.options()),
            at::empty_symint({after ? width : at::SymInt(0)}, weight.options()), emptySymbolicState(h, {batch, width})};
}

class GruStepsFunction : public torch::autograd::Function<GruStepsFunction> {
public:
    static variable_list forward(AutogradContext* context, const Tensor& u, const Tensor& weight,
                                 const MaybeTensor& bias, const MaybeTensor& initial, const MaybeTensor& mask,
                                 std::string_view convention, bool reverse, bool keeps)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        auto [h, last, kept] = forwardOp().call(u, weight, bias, initial, mask, convention, reverse, keeps);
        context->save_for_backward({weight, orUndefined(initial), orUndefined(mask), h, kept});
        context->saved_data["convention"] = std::string(convention);
        context->saved_data["reverse"] = reverse;
        context->saved_data["keeps"] = keeps;
        context->saved_data["bias"] = bias && bias->defined();
        context->set_materialize_grads(false);
        context->mark_non_differentiable({kept});
        return {h, last, kept};
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        TORCH_CHECK(context->saved_data["keeps"].toBool(),
                    "gru_steps: a gradient is asked for, but the call was told to keep nothing; expected keeps = true");
        const variable_list saved = context->get_saved_variables();
        const std::string convention = context->saved_data["convention"].toStringRef();
        auto [u, weight, bias, initial] = backwardOp().call(
            saved[0], ifDefined(saved[1]), ifDefined(saved[2]), saved[3], saved[4], ifDefined(grads[0]),
            ifDefined(grads[1]), convention, context->saved_data["reverse"].toBool());
        const Tensor none;
        return {u,
                weight,
                context->saved_data["bias"].toBool() ? bias : none,
                saved[1].defined() ? initial : none,
                none,
                none,
                none,
                none};
    }
};

GruStepsOutputs forwardAutograd(const Tensor& u, const Tensor& weight, const MaybeTensor& bias,
                                const MaybeTensor& initial, const MaybeTensor& mask, std::string_view convention,
                                bool reverse, bool keeps)
{
    const variable_list out = GruStepsFunction::apply(u, weight, bias, initial, mask, convention, reverse, keeps);
    return {out[0], out[1], out[2]};
}

} // namespace

GruStepsResult gruSteps(const GruStepsArguments& a)
{
    auto [h, last, kept] =
        forwardOp().call(a.u, a.weight, a.bias, a.initial, a.mask, gruConventionName(a.convention), a.reverse, a.keeps);
    return {h, last, kept};
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("gru_steps(Tensor u, Tensor weight, Tensor? bias=None, Tensor? initial=None, Tensor? mask=None, *, str "
          "convention=\"reset_after\", bool reverse=False, bool keeps=True) -> (Tensor h, Tensor last, Tensor kept)");
    m.def("gru_steps_backward(Tensor weight, Tensor? initial, Tensor? mask, Tensor h, Tensor kept, Tensor? grad_h, "
          "Tensor? grad_last, *, str convention=\"reset_after\", bool reverse=False) "
          "-> (Tensor grad_u, Tensor grad_weight, Tensor grad_bias, Tensor grad_initial)");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("gru_steps", &gruStepsForward);
    m.impl("gru_steps_backward", &gruStepsBackward);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("gru_steps", &forwardMeta);
    m.impl("gru_steps_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("gru_steps", &forwardAutograd);
    m.impl("gru_steps_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
