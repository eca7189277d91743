// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/activate/activate.h"

#include "core/kernels/activate/activate_cpu.h"
#include "core/kernels/common/parallel_columns.h"
#include "core/kernels/common/scan_call.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <array>
#include <utility>

namespace unroll::kernels {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using Name = std::pair<const char*, ElementFunction>;
constexpr std::array<Name, 4> kNames{Name{"sigmoid", ElementFunction::Sigmoid},
                                     {"tanh", ElementFunction::Tanh},
                                     {"silu", ElementFunction::Silu},
                                     {"gelu", ElementFunction::Gelu}};

ElementFunction functionNamed(std::string_view word)
{
    for (const auto& [name, function] : kNames)
        if (word == name)
            return function;
    TORCH_CHECK(false, "activate: function is \"", word, "\", expected sigmoid, tanh, silu or gelu");
}

std::string_view nameOf(ElementFunction function)
{
    return kNames[static_cast<std::size_t>(function)].first;
}

bool keepsResult(ElementFunction function)
{
    return function == ElementFunction::Sigmoid || function == ElementFunction::Tanh;
}

const auto& forwardOp()
{
    static const auto op = opNamed<Tensor(const Tensor&, std::string_view)>("unroll::activate");
    return op;
}

const auto& backwardOp()
{
    static const auto op = opNamed<Tensor(const Tensor&, const Tensor&, std::string_view)>("unroll::activate_backward");
    return op;
}

/// Calls body(first, count, T{}) on pieces of as many numbers as `tensor` has, on all threads.
template <class Body>
void onPieces(const Tensor& tensor, const Body& body)
{
    parallelColumns(1, tensor.numel(), 1, [&](ColumnRange numbers) {
        const std::int64_t count = numbers.end - numbers.begin;
        tensor.scalar_type() == at::kDouble ? body(numbers.begin, count, 0.0) : body(numbers.begin, count, 0.0F);
    });
}

Tensor activateForward(const Tensor& x, std::string_view name)
{
    const ElementFunction function = functionNamed(name);
    kindOf("activate", "x", x);
    const Tensor from = x.contiguous();
    Tensor y = at::empty_like(from);
    onPieces(from, [&]<typename T>(std::int64_t first, std::int64_t count, T) {
        activateOnCpu(function, from.const_data_ptr<T>() + first, y.mutable_data_ptr<T>() + first, count);
    });
    return y;
}

Tensor activateBackward(const Tensor& grad, const Tensor& kept, std::string_view name)
{
    const ElementFunction function = functionNamed(name);
    const CallKind kind = kindOf("activate_backward", "kept", kept);
    checkTensor(kind, "grad", grad, kept.sizes(), kind.io);
    const Tensor dy = grad.contiguous(), from = kept.contiguous();
    Tensor dx = at::empty_like(from);
    onPieces(from, [&]<typename T>(std::int64_t first, std::int64_t count, T) {
        activateBackwardOnCpu(function, dy.const_data_ptr<T>() + first, from.const_data_ptr<T>() + first,
                              dx.mutable_data_ptr<T>() + first, count);
    });
    return dx;
}

Tensor forwardMeta(const Tensor& x, std::string_view)
{
    return emptySymbolicLike(x);
}

Tensor backwardMeta(const Tensor&, const Tensor& kept, std::string_view)
{
    return emptySymbolicLike(kept);
}

struct Activate : torch::autograd::Function<Activate> {
    static Tensor forward(AutogradContext* context, const Tensor& x, std::string_view name)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        Tensor y = forwardOp().call(x, name);
        context->save_for_backward({keepsResult(functionNamed(name)) ? y : x});
        context->saved_data["function"] = std::string(name);
        return y;
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        return {backwardOp().call(grads[0], context->get_saved_variables()[0],
                                  context->saved_data["function"].toStringView()),
                Tensor()};
    }
};

Tensor forwardAutograd(const Tensor& x, std::string_view name)
{
    return Activate::apply(x, name);
}

} // namespace

Tensor activate(const Tensor& x, ElementFunction function)
{
    return forwardOp().call(x, nameOf(function));
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("activate(Tensor x, str function) -> Tensor");
    m.def("activate_backward(Tensor grad, Tensor kept, str function) -> Tensor");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("activate", &activateForward);
    m.impl("activate_backward", &activateBackward);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("activate", &forwardMeta);
    m.impl("activate_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("activate", &forwardAutograd);
    m.impl("activate_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
