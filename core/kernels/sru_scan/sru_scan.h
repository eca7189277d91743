// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/sru_scan/sru_scan_params.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

struct SruScanArguments {
    at::Tensor u;                      ///< (T,B,k,d), k = 3 or 4
    at::Tensor weightC;                ///< (2,d): v_f, v_r
    at::Tensor bias;                   ///< (2,d): b_f, b_r
    std::optional<at::Tensor> x;       ///< (T,B,d) skip input, only with k = 3
    std::optional<at::Tensor> initial; ///< (B,d) state c before the first step; absent: zeros
    std::optional<at::Tensor> mask;    ///< (T,B) bool or uint8, true = a real step; absent: all are
    std::optional<at::Tensor>
        dropout;       ///< (B,d) factors, the same at every step: 0 or 1/(1-p); absent: ones. Gets no gradient
    double scaleX = 1; ///< sqrt(1 + 2 exp(highway bias)) with SRU's rescaling, else 1
    Activation activation = Activation::Identity; ///< or Tanh
    bool reverse = false;                         ///< steps are walked from T-1 down to 0
};

struct SruScanResult {
    at::Tensor h;    ///< (T,B,d) output
    at::Tensor c;    ///< (T,B,d) state after each step
    at::Tensor last; ///< (B,d) state after the last step walked; the initial state when T = 0
};

/// The recurrence of the Simple Recurrent Unit (Lei et al. 2018, arXiv 1709.02755; the form of sru 2.6, whose gates
/// both read c_{t-1}):
///
///     f = sigmoid(u1 + v_f * c_{t-1} + b_f)        r = sigmoid(u2 + v_r * c_{t-1} + b_r)
///     c_t = f * c_{t-1} + (1 - f) * u0             h_t = (act(c_t) - x') * dropout * r + x'
///     x' = u3 (k = 4),  scaleX * x (k = 3 and x given),  0 (k = 3, no x: no skip term)
///
/// Layout: u is the GEMM output with its k parts as planes of d, (T,B,k,d), so that a row of each plane is contiguous.
/// The sru package keeps k fastest, (T,B,d,k): its weight (in, dirs*d*k) becomes ours (in, dirs*k*d) by permuting (in,
/// dirs, d, k) -> (in, dirs, k, d) once, at import and export. Any strides; a tensor whose last dimension is not
/// contiguous is copied.
///
/// At a masked step c is held, h is 0 and the inputs get no gradient.
/// fp32 or fp64, on CUDA also bf16 for u and x, with everything (B,d) and (2,d) in fp32. Every output carries gradients
/// to u, x, weightC, bias and initial; second derivatives are refused. Only the inputs and c are kept for the backward
/// pass. Gradients of weightC and bias are summed in a fixed order: the same bits for any number of threads. Zero T, B
/// or d is allowed. Throws c10::Error that names the argument, what was expected and what came.
/// The op is unroll::sru_scan, its gradient unroll::sru_scan_backward.
SruScanResult sruScan(const SruScanArguments& arguments);

} // namespace unroll::kernels
