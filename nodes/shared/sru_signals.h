// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

namespace unroll::nodes {

/// One SRU layer after its scan, in each of its directions.
struct SruPass {
    at::Tensor u;       ///< [T, B, directions, k, units], what the scan read
    at::Tensor c;       ///< [T, B, directions units]
    at::Tensor initial; ///< c before the first step, [B, directions units]; undefined: zeros
    at::Tensor weightC; ///< [2 directions units], forget gate first
    at::Tensor bias;    ///< likewise
};

/// Shows the signals c, f and r where they are wanted. The kernel keeps no gates: they are made again from what it
/// leaves.
void showSruSignals(const PassContext& context, const SruPass& pass);

/// What an editor makes of one step.
struct SruStep {
    at::Tensor h; ///< [1, B, directions units]
    at::Tensor c; ///< likewise; the state after the step
};

/// One step by the formulas of kernels/sru_scan, with the signals c, f and r as an editor leaves them. `pass.c` is not
/// read; `skip` is x' [1, B, directions units], undefined: none.
SruStep editedSruStep(const PassContext& context, const SruPass& pass, const at::Tensor& skip, bool tanh);

} // namespace unroll::nodes
