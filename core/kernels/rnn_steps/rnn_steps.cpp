// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rnn_steps/rnn_steps.h"

#include "core/kernels/rnn_steps/rnn_steps_tensors.h"

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
    static const auto op = opNamed<decltype(rnnStepsForward)>("unroll::rnn_steps");
    return op;
}

const auto& backwardOp()
{
    static const auto op = opNamed<decltype(rnnStepsBackward)>("unroll::rnn_steps_backward");
    return op;
}

Tensor metaState(const Tensor& sequence)
{
    return emptySymbolicState(sequence, sequence.sym_sizes().slice(1));
}

RnnStepsOutputs forwardMeta(const Tensor& u, const Tensor&, const MaybeTensor&, const MaybeTensor&, std::string_view,
                            bool)
{
    TORCH_CHECK(u.dim() == 3, "rnn_steps: u has ", u.dim(), " dimensions, expected [steps, batch, width]");
    return {at::empty_symint(u.sym_sizes(), u.options()), metaState(u)};
}

RnnStepsGradients backwardMeta(const Tensor& weight, const MaybeTensor&, const MaybeTensor&, const Tensor& h,
                               const MaybeTensor&, const MaybeTensor&, std::string_view, bool)
{
    return {at::empty_symint(h.sym_sizes(), h.options()), at::empty_symint(weight.sym_sizes(), weight.options()),
            metaState(h)};
}

class RnnStepsFunction : public torch::autograd::Function<RnnStepsFunction> {
public:
    static variable_list forward(AutogradContext* context, const Tensor& u, const Tensor& weight,
                                 const MaybeTensor& initial, const MaybeTensor& mask, std::string_view activation,
                                 bool reverse)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        auto [h, last] = forwardOp().call(u, weight, initial, mask, activation, reverse);
        context->save_for_backward({weight, orUndefined(initial), orUndefined(mask), h});
        context->saved_data["activation"] = std::string(activation);
        context->saved_data["reverse"] = reverse;
        context->set_materialize_grads(false);
        return {h, last};
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        const std::string activation = context->saved_data["activation"].toStringRef();
        auto [u, weight, initial] =
            backwardOp().call(saved[0], ifDefined(saved[1]), ifDefined(saved[2]), saved[3], ifDefined(grads[0]),
                              ifDefined(grads[1]), activation, context->saved_data["reverse"].toBool());
        const Tensor none;
        return {u, weight, saved[1].defined() ? initial : none, none, none, none};
    }
};

RnnStepsOutputs forwardAutograd(const Tensor& u, const Tensor& weight, const MaybeTensor& initial,
                                const MaybeTensor& mask, std::string_view activation, bool reverse)
{
    const variable_list out = RnnStepsFunction::apply(u, weight, initial, mask, activation, reverse);
    return {out[0], out[1]};
}

} // namespace

RnnStepsResult rnnSteps(const RnnStepsArguments& a)
{
    auto [h, last] = forwardOp().call(a.u, a.weight, a.initial, a.mask, rnnActivationName(a.activation), a.reverse);
    return {h, last};
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("rnn_steps(Tensor u, Tensor weight, Tensor? initial=None, Tensor? mask=None, *, str activation=\"tanh\", "
          "bool reverse=False) -> (Tensor h, Tensor last)");
    m.def("rnn_steps_backward(Tensor weight, Tensor? initial, Tensor? mask, Tensor h, Tensor? grad_h, Tensor? "
          "grad_last, *, str activation=\"tanh\", bool reverse=False) "
          "-> (Tensor grad_u, Tensor grad_weight, Tensor grad_initial)");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("rnn_steps", &rnnStepsForward);
    m.impl("rnn_steps_backward", &rnnStepsBackward);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("rnn_steps", &forwardMeta);
    m.impl("rnn_steps_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("rnn_steps", &forwardAutograd);
    m.impl("rnn_steps_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
