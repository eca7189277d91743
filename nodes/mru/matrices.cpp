// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/mru/matrices.h"

#include "core/kernels/op/tensor_checks.h"
#include "core/kernels/reflections/reflections.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_inv_ex.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

namespace unroll::nodes::mru {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor identity(const at::Tensor& like, std::int64_t n)
{
    return at::eye(n, like.options().requires_grad(false));
}

/// (strict lower + D)(strict upper + D), D = exp(½ (a - mean a)) with a the diagonal: the determinant is 1.
struct LowerTimesUpper : torch::autograd::Function<LowerTimesUpper> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& numbers)
    {
        const at::Tensor a = diagonalOf(numbers);
        const at::Tensor d = at::diag_embed(((a - a.mean(-1, true)) / 2).exp());
        const at::Tensor lower = numbers.tril(-1) + d, upper = numbers.triu(1) + d;
        context->save_for_backward({lower, upper});
        return at::matmul(lower, upper);
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &lower = saved[0], &upper = saved[1];
        const at::Tensor toLower = at::matmul(grads[0], upper.transpose(-2, -1));
        const at::Tensor toUpper = at::matmul(lower.transpose(-2, -1), grads[0]);
        const at::Tensor toD = (diagonalOf(toLower) + diagonalOf(toUpper)) * diagonalOf(lower) / 2;
        return {toLower.tril(-1) + toUpper.triu(1) + at::diag_embed(toD - toD.mean(-1, true))};
    }

    static at::Tensor diagonalOf(const at::Tensor& matrices) { return matrices.diagonal(0, -2, -1); }
};

/// [n (n - 1) / 2, n n]: puts numbers above the diagonal, row by row, and their negatives below it.
at::Tensor skewPlaces(const at::Tensor& like, std::int64_t n)
{
    const at::Tensor places = at::zeros({n * (n - 1) / 2, n * n}, at::kDouble);
    auto* matrix = places.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = i + 1; j < n; ++j, matrix += n * n) {
            matrix[i * n + j] = 1;
            matrix[j * n + i] = -1;
        }
    return places.to(like.device(), like.scalar_type());
}

/// M = (I - S)⁻¹ (I + S) = 2 (I - S)⁻¹ - I. With P = (I - S)⁻¹ = ½ (M + I), dM = 2 P dS P: backward two products, and
/// no inverse.
struct Cayley : torch::autograd::Function<Cayley> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& skew)
    {
        const at::Tensor one = identity(skew, skew.size(-1));
        // I - S can always be inverted; to ask whether it could be makes a GPU and its host wait for each other.
        const at::Tensor m = 2 * std::get<0>(at::linalg_inv_ex(one - skew)) - one;
        context->save_for_backward({m});
        return m;
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const at::Tensor m = context->get_saved_variables()[0];
        const at::Tensor turned = (m + identity(m, m.size(-1))).transpose(-2, -1); // 2 P^T
        return {at::matmul(at::matmul(turned, grads[0]), turned) / 2};
    }
};

/// S skew: a rotation.
at::Tensor cayley(const at::Tensor& numbers, std::int64_t n)
{
    return Cayley::apply(at::matmul(numbers, skewPlaces(numbers, n)).unflatten(-1, {n, n}));
}

/// 2 / v^T v, [..., 1]; of v = 0, which turns nothing, any number.
at::Tensor reflecting(const at::Tensor& v)
{
    const at::Tensor square = v.square().sum(-1, true);
    return 2 / (square + square.eq(0));
}

/// (I - 2 v v^T / v^T v)(I - 2 w w^T / w^T w) with v and w the first unit vector and what the numbers add to it,
/// multiplied out.
at::Tensor twoReflections(const at::Tensor& numbers, std::int64_t n)
{
    if (kernels::hasRowKernel(numbers))
        return kernels::reflections(numbers);
    const at::Tensor one = identity(numbers, n);
    const at::Tensor v = numbers.narrow(-1, 0, n) + one[0], w = numbers.narrow(-1, n, n) + one[0];
    const at::Tensor a = v * reflecting(v), b = w * reflecting(w);
    const at::Tensor turned = a * (v * b).sum(-1, true) - b; // what stands before w^T
    return one - a.unsqueeze(-1) * v.unsqueeze(-2) + turned.unsqueeze(-1) * w.unsqueeze(-2);
}

} // namespace

at::Tensor makeMatrices(const std::string& maker, const at::Tensor& numbers, std::int64_t n)
{
    if (maker == "ldu")
        return LowerTimesUpper::apply(numbers.unflatten(-1, {n, n}));
    if (maker == "cayley")
        return cayley(numbers, n);
    if (maker == "householder")
        return twoReflections(numbers, n);
    return numbers.unflatten(-1, {n, n}) + identity(numbers, n);
}

} // namespace unroll::nodes::mru
