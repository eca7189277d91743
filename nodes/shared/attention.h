// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace unroll::nodes {

/// [B, K, heads n] as [B, heads, K, n], a view.
at::Tensor splitHeads(const at::Tensor& x, std::int64_t heads);

/// The angles by which RoPE rotates features, as cosine and sine, at each place, [B or 1, K, n/2] each.
struct RopeTable {
    at::Tensor cos, sin;
};

/// place * base^(-2i/n) radians for the pair (i, i + n/2) of n features, n even; places [B or 1, K], any integers: only
/// their differences matter to a product. Angles are worked out in double. Source: Su et al. 2021, arXiv:2104.09864.
RopeTable ropeTable(const at::Tensor& places, std::int64_t features, double base, at::ScalarType type);

/// The table, in double, with pair i times ((2i/n + 0.4) / 1.4)^exponent, exponent [B or 1, K] in double, then rounded
/// to `type`: xPos, with a place divided by its scale for a query and the opposite for a key, so that a product shrinks
/// with their distance. Source: Sun et al. 2022, arXiv:2212.10554.
RopeTable grown(const RopeTable& table, const at::Tensor& exponent, at::ScalarType type);

/// heads [B, heads, K, n], each pair of features turned.
at::Tensor rotated(const at::Tensor& heads, const RopeTable& table);

/// Softmax(q k^T / sqrt(n)) v over what is seen. q [B, heads, T, n], k and v [B, heads, K, n].
struct AttentionCall {
    at::Tensor q, k, v;
    bool causal = true;   ///< without `seen`: K = T, and each step sees itself and those before it; false: every key
    at::Tensor seen = {}; ///< bool [B or 1, 1, T, K], true where a step sees a key, at least one in each row
    double dropout = 0;   ///< probability that a weight is zeroed while training
    std::int64_t emptyKeys = 0; ///< shown before the others with weight 0
    at::Tensor bias = {};       ///< added to q k^T / sqrt(n), [B, heads, T, K]; undefined: nothing
};

/// Whether the kernel of causalAttention serves: it has no weights to drop out or to show, and multiplies in the type
/// of qkv [T, B, 3 width].
bool canAttendInOne(const PassContext& context, const at::Tensor& qkv, double dropout);

/// What the heads gather, [B, heads, T, n], by torch's scaled_dot_product_attention. The weights are written out only
/// where some are dropped or the signal `weights` is watched, which is shown as [T, B, heads K], K with the empty keys.
at::Tensor attend(const PassContext& context, const AttentionCall& call);

} // namespace unroll::nodes
