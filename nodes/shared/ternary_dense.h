// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/ternary/ternary.h"

namespace unroll::nodes {

using kernels::TernaryForm;
using kernels::TernaryGradient;

/// kernels::ternaryDense for any device and floating type: fp32 on the CPU and on CUDA by the kernel, anything else by
/// the definition. x [..., in], gain [in], weight [out, in], bias [out] or undefined. The weight is quantised once a
/// call.
at::Tensor ternaryDense(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& weight, const at::Tensor& bias,
                        TernaryForm form = {});

/// Whether the kernel takes x: not where roundings are recorded, since it rounds by itself.
bool hasTernaryKernel(const at::Tensor& x);

/// A weight as the kernel multiplies by it, kept from one pass without gradient to the next: a step of one token would
/// else read the whole weight to round it. Every change of a weight in place counts its version on (Optimizer sees to
/// it for fused updates). Where its numbers lie is held too: else other numbers might come to lie there.
class KeptTernaryWeight {
public:
    const kernels::TernaryWeight& of(const at::Tensor& weight, std::int64_t scales);

private:
    kernels::TernaryWeight m_packed;
    c10::Storage m_storage;
    std::uint32_t m_version = 0;
};

/// What the layer reads of x: the integers x_q s, -127 to 127, in the type of x, without gradient.
at::Tensor ternaryInputCodes(const at::Tensor& x, const at::Tensor& gain, double epsilon = TernaryForm().epsilon);

} // namespace unroll::nodes
