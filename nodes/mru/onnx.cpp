// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <fmt/format.h>

namespace unroll::nodes::mru {

constexpr std::int64_t kLargestSolve = 8;

/// An n x n matrix by a rule.
template <class Rule>
static onnx::Value matrixOf(onnx::Step& step, const char* name, std::int64_t n, Rule rule)
{
    std::vector<double> elements;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            elements.push_back(rule(i, j) ? 1 : 0);
    return step.graph().constant(name, {n, n}, elements);
}

static onnx::Value identity(onnx::Step& step, std::int64_t n)
{
    return matrixOf(step, "identity", n, [](auto i, auto j) { return i == j; });
}

/// I - 2 v v^T / v^T v, and I of v = 0; v [B, heads, n].
static onnx::Value reflection(const onnx::Value& v, const onnx::Value& eye)
{
    const onnx::Value square = unsqueeze(sum(v * v, -1, true), -1);
    const onnx::Value safe = where(equal(square, 0.0), 1.0, square);
    return eye - 2 * (unsqueeze(v, -1) * unsqueeze(v, -2)) / safe;
}

/// (I - S)^-1 (I + S) by Gauss-Jordan elimination. S is skew, so that I - S has a positive definite symmetric part and
/// no pivot is looked for.
static onnx::Value cayley(onnx::Step& step, const onnx::Value& a, const onnx::Value& eye, std::int64_t heads,
                          std::int64_t n)
{
    std::vector<double> places; // [n (n - 1) / 2, n n]: where each number stands, and its negative
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = i + 1; j < n; ++j)
            for (std::int64_t at = 0; at < n * n; ++at)
                places.push_back(at == i * n + j ? 1 : at == j * n + i ? -1 : 0);
    const onnx::Value spread = step.graph().constant("skew", {n * (n - 1) / 2, n * n}, places);
    const onnx::Value S = reshape(matmul(a, spread), {0, heads, n, n});
    onnx::Value both = onnx::concat({eye - S, eye + S}); // [B, heads, n, 2 n]
    for (std::int64_t k = 0; k < n; ++k) {
        const onnx::Value column = onnx::slice(both, k, k + 1, -1);
        const onnx::Value row = onnx::slice(both, k, k + 1, -2) / onnx::slice(column, k, k + 1, -2);
        both = both - (column - onnx::slice(eye, k, k + 1, -1)) * row;
    }
    return onnx::slice(both, n, 2 * n);
}

/// D + strict lower part, D + strict upper part: their product. D = exp((diagonal - its mean) / 2).
static onnx::Value lowerUpper(onnx::Step& step, const onnx::Value& a, const onnx::Value& eye, std::int64_t n)
{
    const onnx::Value diagonal = sum(a * eye, -1);
    const onnx::Value D = unsqueeze(exp((diagonal - mean(diagonal, -1)) / 2), -1) * eye;
    const onnx::Value below = matrixOf(step, "below", n, [](auto i, auto j) { return j < i; });
    const onnx::Value above = matrixOf(step, "above", n, [](auto i, auto j) { return j > i; });
    return matmul(a * below + D, a * above + D);
}

/// M, [B, heads, n, n].
static onnx::Value matrices(onnx::Step& step, const onnx::Value& eye)
{
    const std::string& maker = step.text("maker");
    const std::int64_t heads = step.integer("num_heads"), n = step.integer("matrix_size");
    const onnx::Value x = step.in("x"), up = step.weight("state_matrices_up");
    if (maker == "old") {
        const std::int64_t columns = step.data("state_matrices_up").dims[1],
                           missing = heads * n * columns - step.inputSize("x");
        const onnx::Value whole = missing > 0 ? padded(x, 2, missing, 0) : x;
        return eye + matmul(reshape(whole, {0, heads, n, columns}), up) * (0.08 * static_cast<double>(heads));
    }
    const onnx::Value a = reshape(onnx::linear(x, up), {0, heads, -1});
    if (maker == "householder") {
        const onnx::Value first = onnx::slice(eye, 0, 1, 0); // [1, n]
        return matmul(reflection(first + onnx::slice(a, 0, n), eye), reflection(first + onnx::slice(a, n, 2 * n), eye));
    }
    if (maker == "cayley")
        return cayley(step, a, eye, heads, n);
    const onnx::Value square = reshape(a, {0, heads, n, n});
    return maker == "identity" ? eye + square : lowerUpper(step, square, eye, n);
}

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t heads = step.integer("num_heads"), n = step.integer("matrix_size");
    if (step.text("maker") == "cayley" && n > kLargestSolve)
        return fail(fmt::format("the Cayley map of matrices above {0} x {0} cannot be exported as ONNX, which has no "
                                "operator that solves equations; matrix_size is {1}",
                                kLargestSolve, n));
    const onnx::Value eye = identity(step, n);
    const onnx::Value before = reshape(step.state().front(), {0, heads, n, n}) + eye;
    const onnx::Value H = matmul(before, matrices(step, eye));
    onnx::Value down = step.weight("state_matrices_down");
    if (step.text("maker") == "old")
        down = down * static_cast<double>(heads * step.data("state_matrices_down").dims[2]);
    step.out("y", onnx::linear(flatten(matmul(H, down)), step.weight("mru_out")));
    step.next({flatten(H - eye)});
    return {};
}

} // namespace unroll::nodes::mru
