// SPDX-License-Identifier: GPL-3.0-or-later
// The torch side of kernels whose every step multiplies a weight to the whole state before it.
#pragma once

#include "core/kernels/op/scan_call.h"

namespace unroll::kernels {

/// A tensor (T,B,parts d), called `name` in messages.
struct StepsSequence {
    const char* name;
    const at::Tensor& tensor;
    std::int64_t parts = 1;
};

/// The arguments common to both passes of such a kernel, checked.
struct StepsCall : ScanCall {
    /// `like` sets the type and the sizes; `weightHh` must be (gates d,d).
    StepsCall(const char* op, const StepsSequence& like, const at::Tensor& weightHh, std::int64_t gates,
              const MaybeTensor& initialState, const MaybeTensor& stepMask, bool reversed);

    /// A sequence of the call's steps, batch and d: checked, with contiguous rows.
    at::Tensor wide(const StepsSequence& sequence) const;

    at::Tensor weight;
};

} // namespace unroll::kernels
