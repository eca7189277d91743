// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/state_space.h"

#include "core/kernels/diag_scan/diag_scan.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/linalg_eigvalsh.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/polar.h>
#include <ATen/ops/real.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <optional>

namespace unroll::nodes {

namespace {

constexpr double kSmall = 1.0 / 32; // |dt A| below which gamma is made by its series

/// (exp(z) - 1) / z = 1 + z / 2 + z² / 6 + ... for small z, 1 at 0. What is left out is below 1e-20.
at::Tensor shareBySeries(const at::Tensor& z)
{
    constexpr double factorials[] = {1, 2, 6, 24, 120, 720, 5040, 40320, 362880}; // 1! to 9!
    at::Tensor sum = z / factorials[8] + 1 / factorials[7];
    for (int k = 6; k >= 0; --k)
        sum = sum * z + 1 / factorials[k];
    return sum;
}

} // namespace

Discretized discretized(const at::Tensor& re, const at::Tensor& im, const at::Tensor& dt, bool bilinear)
{
    const at::Tensor x = re * dt, y = im * dt;
    if (bilinear) {
        const at::Tensor below = at::complex(1 - x / 2, -y / 2);
        return {at::complex(1 + x / 2, y / 2) / below, dt / below};
    }
    const at::Tensor size = x.exp();
    // exp(z) - 1 without the cancellation at small z
    const at::Tensor lessOne = at::complex(x.expm1() * y.cos() - (y / 2).sin().square() * 2, size * y.sin());
    // Each form reads what is safe for it where the other one counts: no 0 / 0 in values or gradients.
    const at::Tensor small = (x.detach().square() + y.detach().square()).lt(kSmall * kSmall), z = at::complex(x, y);
    const at::Tensor series = dt * shareBySeries(at::where(small, z, at::zeros_like(z)));
    const at::Tensor quotient = lessOne / at::where(small, at::ones_like(z), at::complex(re, im));
    return {at::polar(size, y), at::where(small, series, quotient)};
}

at::Tensor hippoFrequencies(std::int64_t size)
{
    const at::Tensor p = (at::arange(size, at::kDouble) + 0.5).sqrt(), all = at::outer(p, p);
    const at::Tensor skew = all.triu(1) - all.tril(-1);
    return at::linalg_eigvalsh(at::complex(at::zeros_like(skew), -skew), "L");
}

ComplexStates complexStates(const PassContext& context, const at::Tensor& lambda, const at::Tensor& b,
                            const Value& state, const at::Tensor& mask)
{
    const auto initial = state.empty() ? std::nullopt : std::optional(at::complex(state[0], state[1]));
    const auto scan = kernels::diagScan(lambda, at::view_as_complex(b), initial, whereDefined(mask), /*reverse=*/false);
    const bool isEdited = editsAny(context, {"h"}, b, mask);
    const at::Tensor h = isEdited ? context.edited("h", at::view_as_real(scan.h)) : at::view_as_real(scan.h);
    if (context.wants("h"))
        context.show("h", h.detach().flatten(2)); // real and imaginary in turn
    if (!context.keepsState)
        return {h, {}};
    const at::Tensor last = isEdited ? at::view_as_complex(h.select(0, 0).contiguous()) : scan.last;
    return {h, {at::real(last).contiguous(), at::imag(last).contiguous()}};
}

} // namespace unroll::nodes
