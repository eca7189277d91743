// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/outer_scan/outer_scan_params.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

struct OuterScanResult {
    at::Tensor y;    ///< (T,B,heads,m) what is read at each step
    at::Tensor last; ///< (B,heads,n,m) state after the last step walked; the initial state when T = 0
};

/// The recurrence of a state that is a sum of outer products, fading: linear attention (Katharopoulos et al. 2020,
/// arXiv:2006.16236, eq. 16 to 20, without its normaliser), RetNet (Sun et al. 2023, arXiv:2307.08621, eq. 6), GLA
/// (Yang et al. 2024, arXiv:2312.06635, eq. 3), Mamba-2's SSD (Dao and Gu 2024, arXiv:2405.21060):
///
///     S_t = diag(a_t) S_{t-1} + k_t v_t^T        S (n,m)
///     y_t = S_t^T q_t
///
/// q, k     (T,B,heads,n)
/// v        (T,B,heads,m). Any strides, of q, k and a too; rows not contiguous are copied.
/// a        (T,B,heads,n): a factor for each key and step; (T,B,heads): one for all keys of a head; (heads,n) or
///          (heads), of the type of the states: the same at every step; or absent: 1, nothing decays. Any sign, 0
///          included. Factors may be above 1 as far as products of successive ones stay numbers, see below.
/// initial  (B,heads,n,m), or absent: zeros.
/// mask     (T,B) bool or uint8, true = a real step, or absent. At a masked step the state is held and y is 0; nothing
///          gets a gradient from it.
/// reverse  steps are walked from T-1 down to 0.
///
/// fp32 or fp64; on CUDA also bf16 with states and the arithmetic in fp32, and up to 256 keys and values of a head.
/// Both outputs carry gradients to all of q, k, v, a and initial; second derivatives are refused.
///
/// In chunks of up to 16 real steps (kHeadChunk): with d_ts the product of a_{s+1} ... a_t, which is made by
/// multiplying and never by dividing or by logarithms, so that it may vanish,
///
///     A_ts = sum_i q_ti d_ts,i k_si for s <= t    y_t = sum_s A_ts v_s + (q_t d_t0)^T S_0
///     S_end = d_end,0 S_0 + sum_s (d_end,s k_s) v_s^T
///
/// Hence on a CPU every product of successive factors within a chunk must be in the range of the states' type, as it is
/// with factors from -1 to 1. Above that range (3.4e38 in fp32) y, the state and the gradients are infinite or NaN,
/// also where small states would keep a loop finite; below it the product counts as 0, also where later factors are
/// large. On CUDA the states are made step by step, without this limit.
///
/// Only the arguments are kept for the backward pass, which walks forward once more and stores the state before each
/// chunk of the current head. A single step is a chunk of one. Zero T, B or heads is allowed. Throws c10::Error that
/// names the argument, what was expected and what came. The op is unroll::outer_scan, its gradient
/// unroll::outer_scan_backward.
OuterScanResult outerScan(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                          const std::optional<at::Tensor>& a, const std::optional<at::Tensor>& initial = std::nullopt,
                          const std::optional<at::Tensor>& mask = std::nullopt, bool reverse = false);

} // namespace unroll::kernels
