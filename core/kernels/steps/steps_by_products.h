// SPDX-License-Identifier: GPL-3.0-or-later
// The torch side of a walk whose products torch makes step by step, and whose elementwise parts (step_elements.h) a
// device goes through.
#pragma once

#include "core/kernels/op/steps_call.h"

namespace unroll::kernels {

/// The state (B,d) before a step: of `states` (T,B,d), or the initial one, which may be undefined.
at::Tensor stateBefore(const ScanCall& call, const at::Tensor& states, const WalkStep& walk);

/// out (B,n) = state matrix; zeros where `state` is undefined. matrix (d,n), any strides.
void multiplyInto(at::Tensor out, const at::Tensor& state, const at::Tensor& matrix);

/// The same into `out`, or zeros where undefined.
void copyOrZero(at::Tensor out, const at::Tensor& from);

} // namespace unroll::kernels
