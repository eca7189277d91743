// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::nodes {

/// Heads whose state takes away what it holds before it stores: S = diag(w) S + b (S^T z)^T + k v^T, y = S^T q
/// (core/kernels/delta_scan). A step of the sequence may be several steps of the rule.
struct DeltaHeads {
    at::Tensor q, k, z;          ///< [T substeps, B, heads, n]
    at::Tensor v;                ///< [T substeps, B, heads, m]
    std::optional<at::Tensor> b; ///< as z; absent: k
    std::optional<at::Tensor> w; ///< [T substeps, B, heads(, n)]; absent: 1
    at::Tensor before;           ///< [B, heads, n, m], or undefined: zeros
    at::Tensor mask;             ///< [T substeps, B], or undefined
    bool readsMasked = false;    ///< whether masked steps read what they hold
};

struct DeltaRead {
    at::Tensor y;    ///< [T substeps, B, heads, m], 0 at masked steps that read nothing
    at::Tensor last; ///< [B, heads, n, m]
};

struct DeltaLook {
    std::int64_t substeps = 1; ///< of the rule in a step of the sequence
    /// Signal of what is written under k, v + S^T z, [T, B, substeps heads m]; nullptr: not shown. Of heads without b.
    const char* written = nullptr;
};

/// Reads every step, and shows the signal S after each step of the sequence, [T, B, heads, n, m], and what is written;
/// where an editor changes one of these, by the formulas, for one step.
DeltaRead readDelta(const PassContext& context, const DeltaHeads& heads, DeltaLook look);

/// x / sqrt(sum x^2 + epsilon) over the last dimension.
at::Tensor unitLength(const at::Tensor& x, double epsilon);

} // namespace unroll::nodes
