// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors for trying kernels out: random ones, gradients by torch, comparison, layouts. For tests and the accuracy
// table only.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace unroll::kernels::test {

using Tensors = std::vector<at::Tensor>;

/// Draws in fp32, so that a case has the same numbers in fp32 and fp64. The sequence depends on the seed alone.
class Draw {
public:
    explicit Draw(std::uint64_t seed) : m_generator(at::detail::createCPUGenerator(seed)) {}
    at::Tensor normal(at::IntArrayRef sizes) { return at::randn(sizes, m_generator, at::TensorOptions(at::kFloat)); }
    at::Tensor uniform(at::IntArrayRef sizes) { return at::rand(sizes, m_generator, at::TensorOptions(at::kFloat)); }

private:
    at::Generator m_generator;
};

/// RMS of got - want over that of want, which counts as 1.2e-33 at least: an error of fp32's smallest normal number,
/// below which kernels may flush, is 1e-5 of that. Both may be any floating type.
inline double relativeRms(const at::Tensor& got, const at::Tensor& want)
{
    const at::Tensor exact = want.to(at::kDouble);
    const double least = 1.2e-33 * std::sqrt(static_cast<double>(want.numel()));
    const double error = (got.to(at::kDouble) - exact).norm().item<double>();
    return error / std::max({exact.norm().item<double>(), least, 1e-38});
}

/// Sizes of numbers and gradients that have all but vanished or exploded: fp32's smallest normal number is 1.2e-38, the
/// largest 3.4e38.
inline constexpr double kOtherSizes[] = {1e-32, 1e30};

inline std::string factorText(double size)
{
    return size < 1 ? "1e-32" : "1e30";
}

struct Named {
    std::string name;
    at::Tensor tensor;
};

/// Gradients of sum(outputs[i] * weights[i]) to `inputs`. Outputs with an undefined weight play no part; a gradient
/// that does not arrive is zeros.
inline Tensors gradients(const Tensors& outputs, const Tensors& weights, const Tensors& inputs)
{
    Tensors used, usedWeights;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (weights[i].defined()) {
            used.push_back(outputs[i]);
            usedWeights.push_back(weights[i].to(outputs[i].device(), outputs[i].scalar_type()));
        }
    Tensors grads =
        torch::autograd::grad(used, inputs, usedWeights, /*retain_graph=*/std::nullopt, /*create_graph=*/false,
                              /*allow_unused=*/true);
    for (std::size_t i = 0; i < grads.size(); ++i)
        if (!grads[i].defined())
            grads[i] = at::zeros_like(inputs[i]);
    return grads;
}

/// at::sigmoid by a formula whose gradient keeps its digits when the gate saturates; torch's y * (1 - y) has 3 left at
/// an argument of 30.
inline at::Tensor exactSigmoid(const at::Tensor& a)
{
    return (1 + (-a).exp()).reciprocal();
}

/// A leaf of its own in the given type.
inline at::Tensor leaf(const at::Tensor& tensor, at::ScalarType type, at::Device device = at::kCPU)
{
    return tensor.detach().to(device, type, /*non_blocking=*/false, /*copy=*/true).requires_grad_(true);
}

/// One tensor (T,B,n) in ways that torch may hand it over. Values and gradients are those of `tensor`.
enum class Layout { Contiguous, SliceOfWider, BatchMajor, RowsNotContiguous, Count };

inline at::Tensor inLayout(const at::Tensor& tensor, Layout layout)
{
    switch (layout) {
    case Layout::SliceOfWider: {
        const at::Tensor wider = at::constant_pad_nd(tensor, {3, 5});
        return wider.narrow(-1, 3, tensor.size(-1));
    }
    case Layout::BatchMajor: return tensor.transpose(0, 1).contiguous().transpose(0, 1);
    case Layout::RowsNotContiguous: return tensor.transpose(0, -1).contiguous().transpose(0, -1);
    default: return tensor;
    }
}

} // namespace unroll::kernels::test
