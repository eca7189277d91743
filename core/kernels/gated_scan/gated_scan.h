// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/gated_scan/gated_scan_params.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

struct GatedScanOptions {
    Activation candidate = Activation::Silu;
    bool outputGate = true; ///< whether the gates hold a third part
    bool reverse = false;   ///< steps are walked from T-1 down to 0
};

struct GatedScanResult {
    at::Tensor u;    ///< (T,B,d) output
    at::Tensor h;    ///< (T,B,d) state after each step
    at::Tensor last; ///< (B,d) state after the last step walked; the initial state when T = 0
};

/// The elementwise gated recurrence of GRUMML and its kind (Zhu et al. 2024, "Scalable MatMul-free Language Modeling",
/// MLGRU):
///
///     f = sigmoid(a_f)    c = candidate(a_c)    h_t = f * h_{t-1} + (1 - f) * c
///     u_t = sigmoid(a_g) * h_t    (u_t = h_t without a_g)
///
/// candidate is the identity, tanh, silu, or minGRU's g (Activation::Positive). With tanh this is the fo-pooling of
/// QRNN, f-pooling without a_g (Bradbury et al. 2017, arXiv:1611.01576); with g and without a_g it is minGRU (Feng et
/// al. 2024, arXiv:2410.01201), f = 1 - z.
///
/// gates    pre-activations, time-major: tensors (T,B,n*d) that, side by side along the last dimension, read [a_f | a_c
///          | a_g], or [a_f | a_c] without an output gate. One GEMM's (T,B,3d), (T,B,2d) with (T,B,d), or three of
///          (T,B,d) are all taken as they are, and their gradients have the same form, so nothing is copied or joined
///          either way. Any strides; rows not contiguous are copied.
/// initial  (B,d), or absent: zeros.
/// mask     (T,B) bool or uint8, true = a real step, or absent. At a masked step the state is held, u is 0 and the
///          gates get no gradient.
///
/// fp32 or fp64, on CUDA also bf16 with initial and last in fp32. Every output carries gradients to gates and initial;
/// second derivatives are refused. Only the pre-activations and h are kept for the backward pass. Zero T, B or d is
/// allowed. Throws c10::Error that names the argument, what was expected and what came.
/// The op is unroll::gated_scan, its gradient unroll::gated_scan_backward.
GatedScanResult gatedScan(at::TensorList gates, const std::optional<at::Tensor>& initial,
                          const std::optional<at::Tensor>& mask, const GatedScanOptions& options);

} // namespace unroll::kernels
