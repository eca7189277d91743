// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/initial.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/where.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace unroll {

namespace {

/// Uniform among the orthogonal matrices: Q of a normal matrix, with the signs that make R's diagonal positive. In
/// double, so that a float is the same however many threads multiplied. Source: Saxe, McClelland, Ganguli 2014,
/// arXiv:1312.6120; Mezzadri 2007, arXiv:math-ph/0609050.
at::Tensor orthogonal(at::IntArrayRef sizes, at::Generator& random)
{
    assert(sizes.size() == 2 && "an orthogonal weight is a matrix");
    const std::int64_t longer = std::max(sizes[0], sizes[1]), shorter = std::min(sizes[0], sizes[1]);
    const at::Tensor normal = at::empty({longer, shorter}, at::kDouble).normal_(0, 1, random);
    const auto [q, r] = at::linalg_qr(normal);
    const at::Tensor columns = q * at::where(r.diagonal().lt(0), -1.0, 1.0);
    return sizes[0] < sizes[1] ? columns.t() : columns;
}

/// 1 along the diagonal.
at::Tensor identity(at::IntArrayRef sizes)
{
    assert(sizes.size() == 2 && "an identity is a matrix");
    return at::eye(sizes[0], sizes[1], at::kDouble);
}

/// Of deviation 1, none beyond ±bound, by the inverse of the distribution function. In double, whose draws reach the
/// ends evenly.
at::Tensor normalWithin(at::IntArrayRef sizes, double bound, at::Generator& random)
{
    const double inside = std::erf(bound / std::sqrt(2.0)); // probability
    at::Tensor values = at::empty(sizes, at::kDouble).uniform_(-inside, inside, random);
    return values.erfinv_().mul_(std::sqrt(2.0)).clamp_(-bound, bound);
}

constexpr double kLeast = 0x1p-24; ///< a draw of fp32 below 1 hits 0 once in so many times

/// U(low, high), kept from 0, whose logarithm is infinite: there nothing would move a weight again.
at::Tensor uniformAboveZero(const at::Tensor& values, const InitialValues& initial, at::Generator& random)
{
    return values.uniform_(initial.low, initial.high, random)
        .clamp_min_(initial.high > 0 ? kLeast * initial.high : kLeast);
}

/// The same within 0 and 1, kept from 1 too, whose logarithm is 0.
at::Tensor uniformInside(const at::Tensor& values, const InitialValues& initial, at::Generator& random)
{
    return uniformAboveZero(values, initial, random).clamp_max_(1 - kLeast);
}

void fill(at::Tensor values, const InitialValues& initial, at::Generator& random)
{
    switch (initial.draw) {
    case InitialValues::Draw::None: values.zero_(); break;
    case InitialValues::Draw::Uniform: values.uniform_(initial.low, initial.high, random); break;
    case InitialValues::Draw::Normal:
        if (initial.low < initial.high)
            values.copy_(normalWithin(values.sizes(), initial.high, random)).mul_(initial.scale);
        else
            values.normal_(0, initial.scale, random);
        break;
    case InitialValues::Draw::Orthogonal:
        values.copy_(initial.formula.empty() ? orthogonal(values.sizes(), random) : identity(values.sizes()));
        break;
    case InitialValues::Draw::LogOfUniform: uniformAboveZero(values, initial, random).log_(); break;
    case InitialValues::Draw::Computed:
        TORCH_CHECK(false, "values that the block computes itself are not drawn");
        break;
    case InitialValues::Draw::LogOfLog: uniformInside(values, initial, random).log_().mul_(-0.5).log_(); break;
    }
    if (initial.scale != 1 && initial.draw != InitialValues::Draw::Normal)
        values.mul_(initial.scale);
    if (initial.shift != 0)
        values.add_(initial.shift);
}

} // namespace

at::Tensor drawInitial(const WeightSpec& spec, at::Generator& random, at::ScalarType dtype)
{
    std::vector<std::int64_t> sizes;
    for (const WeightSize& each : spec.shape)
        sizes.push_back(each.size);
    const at::Tensor values = at::empty(sizes, dtype);
    std::int64_t row = 0;
    for (const WeightPart& part : spec.parts) {
        fill(values.narrow(0, row, part.rows), part.initial, random);
        row += part.rows;
    }
    assert(row == values.size(0) && "the parts of a weight are all its rows");
    return values;
}

} // namespace unroll
