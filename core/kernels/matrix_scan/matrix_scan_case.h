// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of one call of matrix_scan, the plain loop in fp64 and what the kernel makes of it. Included by tests only.
#pragma once

#include "core/kernels/common/kernel_test.h"
#include "core/kernels/matrix_scan/matrix_scan.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

namespace unroll::kernels::test {

struct MatrixCase {
    std::int64_t steps = 1, batch = 1, heads = 1, size = 1;
    bool reverse = false;
    bool masked = false;
    bool initial = true;
    bool transposed = false; ///< m lies column by column
    unsigned gradients = 3;  ///< bit 0: one arrives on h, bit 1: on last
};

inline std::string describe(const MatrixCase& c)
{
    return "T " + std::to_string(c.steps) + " B " + std::to_string(c.batch) + " heads " + std::to_string(c.heads) +
           " n " + std::to_string(c.size) + (c.reverse ? " reverse" : "") + (c.masked ? " masked" : "") +
           (c.initial ? " initial" : "") + (c.transposed ? " transposed" : "") + " gradients " +
           std::to_string(c.gradients) + " " + cpuTargetInUse();
}

/// In fp32.
struct MatrixNumbers {
    at::Tensor m, initial, mask;
    Tensors weights; ///< of h, last
};

/// Rotations, stretched a little: long products of them neither fade nor blow up.
inline MatrixNumbers draw(const MatrixCase& c, std::uint64_t seed)
{
    Draw draws(seed);
    const std::vector<std::int64_t> state = {c.batch, c.heads, c.size, c.size};
    std::vector<std::int64_t> sequence = state;
    sequence.insert(sequence.begin(), c.steps);
    MatrixNumbers n;
    const at::Tensor stretched = draws.uniform({c.steps, c.batch, c.heads, 1, 1}) * 0.04 + 0.98;
    n.m = std::get<0>(at::linalg_qr(draws.normal(sequence))) * stretched;
    n.initial = draws.normal(state);
    n.mask = draws.uniform({c.steps, c.batch}) < 0.7;
    const Tensors weights = {draws.normal(sequence), draws.normal(state)};
    for (unsigned i = 0; i < 2; ++i)
        n.weights.push_back(c.gradients >> i & 1 ? weights[i] : at::Tensor());
    return n;
}

inline Tensors leaves(const MatrixCase& c, const MatrixNumbers& n, at::ScalarType type)
{
    Tensors all = {leaf(n.m, type)};
    if (c.initial)
        all.push_back(leaf(n.initial, type));
    return all;
}

inline std::vector<Named> withGradients(const MatrixCase& c, const MatrixNumbers& n, const Tensors& outputs,
                                        const Tensors& in)
{
    const Tensors grads = gradients(outputs, n.weights, in);
    std::vector<Named> all = {{"h", outputs[0]}, {"last", outputs[1]}, {"gradient of m", grads[0]}};
    if (c.initial)
        all.push_back({"gradient of initial", grads[1]});
    return all;
}

/// The recurrence step by step in fp64, gradients by torch's autograd.
inline std::vector<Named> plainLoop(const MatrixCase& c, const MatrixNumbers& n)
{
    const Tensors in = leaves(c, n, at::kDouble);
    at::Tensor h = c.initial ? in[1] : at::eye(c.size, at::kDouble).expand({c.batch, c.heads, c.size, c.size});
    Tensors hs(static_cast<std::size_t>(c.steps));
    const Tensors ms = in[0].unbind(0);
    for (std::int64_t s = 0; s < c.steps; ++s) {
        const std::int64_t t = c.reverse ? c.steps - 1 - s : s;
        const at::Tensor real = c.masked ? n.mask[t].view({c.batch, 1, 1, 1}) : at::full({1, 1, 1, 1}, true, at::kBool);
        h = at::where(real, at::matmul(h, ms[static_cast<std::size_t>(t)]), h);
        hs[static_cast<std::size_t>(t)] = h;
    }
    return withGradients(c, n, {at::stack(hs), h.clone()}, in);
}

inline std::vector<Named> byKernel(const MatrixCase& c, const MatrixNumbers& n, at::ScalarType type)
{
    const Tensors in = leaves(c, n, type);
    const at::Tensor m = c.transposed ? in[0].transpose(3, 4).contiguous().transpose(3, 4) : in[0];
    const MatrixScanResult out = matrixScan(m, c.initial ? std::optional(in[1]) : std::nullopt,
                                            c.masked ? std::optional(n.mask) : std::nullopt, c.reverse);
    EXPECT_EQ(out.h.scalar_type(), type);
    return withGradients(c, n, {out.h, out.last}, in);
}

} // namespace unroll::kernels::test
