// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

/// Who multiplies dense fp32 matrices on the CPU: torch as it comes, which is MKL; oneDNN, which torch has in it but asks for bf16 alone; or our
/// own kernels, by fp32 instructions (row_products.h, outer_products.h) or by AMX (split_tiles.h), where hasSplitProducts().
enum class ProductLibrary { Torch, OneDnn, Own, Split };

/// Whether both are fp32 on the CPU, with numbers to be read, and of more than a few rows: there is something to choose.
bool isPlainAndLarge(const at::Tensor& rows, const at::Tensor& other);

/// A dense layer's three products, each by the library that is ahead there on this machine. That is said by the kind of the processor and not by a
/// timing: the libraries round differently, and a run that is resumed must go on as it would have. Other types and devices are torch's.
ProductLibrary libraryForRows(const at::Tensor& x, const at::Tensor& weight);
ProductLibrary libraryForGradient(const at::Tensor& g, const at::Tensor& weight);
ProductLibrary libraryForWeights(const at::Tensor& g, const at::Tensor& x);

/// x W^T + b for x [N, in], W [out, in], b [out]. Factors may have any strides. No gradient.
at::Tensor rowsTimesWeight(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                           ProductLibrary library);
inline at::Tensor rowsTimesWeight(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias)
{
    return rowsTimesWeight(x, weight, bias, libraryForRows(x, weight));
}

/// The gradient of x for that of the product, g [N, out]: g W, [N, in]. No gradient of its own.
at::Tensor gradientOfRows(const at::Tensor& g, const at::Tensor& weight, ProductLibrary library);
inline at::Tensor gradientOfRows(const at::Tensor& g, const at::Tensor& weight)
{
    return gradientOfRows(g, weight, libraryForGradient(g, weight));
}

/// The gradient of W: g^T x, [out, in], and that of the bias, the sum of g's rows, where `bias` is given. No gradient of its own.
at::Tensor gradientOfWeight(const at::Tensor& g, const at::Tensor& x, ProductLibrary library,
                            at::Tensor* bias = nullptr);
inline at::Tensor gradientOfWeight(const at::Tensor& g, const at::Tensor& x)
{
    return gradientOfWeight(g, x, libraryForWeights(g, x));
}

/// x W^T + b over the last dimension of x [..., in], with gradients, by those three; second derivatives are torch's. `bias` may be undefined. The
/// op is unroll::dense_product, for Python.
at::Tensor denseProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

} // namespace unroll::kernels
