// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::nodes {

/// Heads whose state is a sum of outer products: S = diag(a) S + k v^T, y = S^T q (core/kernels/outer_scan).
struct OuterHeads {
    at::Tensor q, k;             ///< [T, B, heads, n]
    at::Tensor v;                ///< [T, B, heads, m]
    std::optional<at::Tensor> a; ///< [T, B, heads(, n)] or [heads(, n)]; absent: 1
    at::Tensor before;           ///< [B, heads, n, m], or undefined: zeros
    at::Tensor mask;             ///< [T, B], or undefined
    bool readsMasked = false;    ///< whether masked steps read what they hold
};

struct OuterRead {
    at::Tensor y;    ///< [T, B, heads, m], 0 at masked steps that read nothing
    at::Tensor last; ///< [B, heads, n, m]
};

/// How the signal S shows the states: their first columns, as matrices [T, B, heads, n, columns].
struct OuterLook {
    std::int64_t columns = 0;
};

/// As the kernel walks them: masked steps that read are steps that write nothing and forget nothing.
OuterHeads walkedHeads(OuterHeads heads);

/// Reads every step, and shows the signal S; where an editor changes S, by the formulas, for one step.
OuterRead readHeads(const PassContext& context, const OuterHeads& heads, OuterLook look);

/// A signal [T, B, heads n] as heads see it, [T, B, heads, n], changed where an editor changes it and shown where it is
/// wanted.
at::Tensor signalOfHeads(const PassContext& context, const char* name, const at::Tensor& heads);

} // namespace unroll::nodes
