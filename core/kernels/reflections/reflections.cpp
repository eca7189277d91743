// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/reflections/reflections.h"

#include "core/kernels/cpu/parallel_columns.h"
#include "core/kernels/op/scan_call.h"
#include "core/kernels/reflections/reflections_cpu.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
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
    static const auto op = opNamed<Tensor(const Tensor&)>("reflections");
    return op;
}

const auto& backwardOp()
{
    static const auto op = opNamed<Tensor(const Tensor&, const Tensor&)>("reflections_backward");
    return op;
}

/// [..., n, n] of numbers [..., 2 n].
template <class Size>
std::vector<Size> sizesOfMatrices(const char* op, c10::ArrayRef<Size> sizes)
{
    TORCH_CHECK(!sizes.empty() && sizes.back() > 0 && sizes.back() % 2 == 0 && sizes.back() <= 2 * kMaxReflectedRows,
                op, ": numbers has shape ", sizes, ", expected [..., 2 n] with n from 1 to ", kMaxReflectedRows);
    std::vector<Size> made = sizes.vec();
    made.back() = made.back() / 2;
    made.push_back(made.back());
    return made;
}

/// Calls body(pairs, begin, end, T{}) on pieces of all matrices, on all threads.
template <class Body>
void onPieces(const Tensor& numbers, const Body& body)
{
    const std::int64_t n = numbers.size(-1) / 2;
    const auto pieces = [&]<typename T>(T) {
        const ReflectionPairs<T> pairs{numbers.const_data_ptr<T>(), n};
        parallelColumns(
            1, numbers.numel() / (2 * n), 1,
            [&](ColumnRange matrices) { body(pairs, matrices.begin, matrices.end, T{}); }, n * n);
    };
    numbers.scalar_type() == at::kDouble ? pieces(0.0) : pieces(0.0F);
}

Tensor reflectionsForward(const Tensor& numbers)
{
    kindOf("reflections", "numbers", numbers);
    Tensor m = at::empty(sizesOfMatrices("reflections", numbers.sizes()), numbers.options());
    onPieces(numbers.contiguous(), [&]<typename T>(const auto& pairs, std::int64_t begin, std::int64_t end, T) {
        reflectOnCpu(pairs, begin, end, m.mutable_data_ptr<T>());
    });
    return m;
}

Tensor reflectionsBackward(const Tensor& grad, const Tensor& numbers)
{
    const CallKind kind = kindOf("reflections_backward", "numbers", numbers);
    checkTensor(kind, "grad", grad, sizesOfMatrices(kind.op, numbers.sizes()), kind.io);
    const Tensor dm = grad.contiguous(), from = numbers.contiguous();
    Tensor dNumbers = at::empty_like(from);
    onPieces(from, [&]<typename T>(const auto& pairs, std::int64_t begin, std::int64_t end, T) {
        reflectBackwardOnCpu(pairs, begin, end, dm.const_data_ptr<T>(), dNumbers.mutable_data_ptr<T>());
    });
    return dNumbers;
}

Tensor forwardMeta(const Tensor& numbers)
{
    return at::empty_symint(sizesOfMatrices("reflections", numbers.sym_sizes()), numbers.options());
}

Tensor backwardMeta(const Tensor&, const Tensor& numbers)
{
    return emptySymbolicLike(numbers);
}

struct Reflections : torch::autograd::Function<Reflections> {
    static Tensor forward(AutogradContext* context, const Tensor& numbers)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        context->save_for_backward({numbers});
        return forwardOp().call(numbers);
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        return {backwardOp().call(grads[0], context->get_saved_variables()[0])};
    }
};

Tensor forwardAutograd(const Tensor& numbers)
{
    return Reflections::apply(numbers);
}

} // namespace

Tensor reflections(const Tensor& numbers)
{
    return forwardOp().call(numbers);
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("reflections(Tensor numbers) -> Tensor");
    m.def("reflections_backward(Tensor grad, Tensor numbers) -> Tensor");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("reflections", &reflectionsForward);
    m.impl("reflections_backward", &reflectionsBackward);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("reflections", &forwardMeta);
    m.impl("reflections_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("reflections", &forwardAutograd);
    m.impl("reflections_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
