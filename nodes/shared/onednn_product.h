// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace unroll::nodes {

/// x W^T + b over the last dimension of x [..., in], by oneDNN instead of the library behind at::linear; the gradient of x too, that of W where it
/// is the quicker way. fp32 on the CPU; `bias` may be undefined. No second derivatives.
at::Tensor oneDnnProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Whether that pays for this product: fp32 on the CPU, of some size, on a processor where oneDNN is ahead. Said by the processor's kind and not by
/// a timing, for the two libraries round differently: a run that is resumed must go on as it would have.
bool oneDnnPays(const at::Tensor& x, const at::Tensor& weight);

} // namespace unroll::nodes
