// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"
#include "nodes/shared/delta_heads.h"
#include "nodes/shared/masked_output.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace unroll::nodes {

/// What DeltaNet and those that came of it differ in.
struct DeltaKind {
    bool products = false; ///< several steps of the rule a token, and a forget gate that may be left out: DeltaProduct
    bool gated = false;    ///< a forget gate and an output gate: Gated DeltaNet
};

/// The delta rule with its short convolutions, keys and queries of length 1, norm and projection. The weights are named
/// as in flash-linear-attention's layers. State: S of every head, then what the convolutions read, the oldest first.
class DeltaBlock final : public Block {
public:
    DeltaBlock(const BlockSetup& setup, DeltaKind kind);

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override;
    Value initialState(std::int64_t sequences) const override;

private:
    /// Of all steps, what the rule is given but for the state.
    struct Parts {
        at::Tensor q;       ///< [T, B, heads, n]
        at::Tensor k, v;    ///< [T, B, substeps, heads, n]
        at::Tensor beta;    ///< [T, B, substeps, heads]
        at::Tensor decay;   ///< [T, B, heads], or undefined
        at::Tensor history; ///< what the convolutions read next, [B, reach read]
    };

    Parts parts(const PassContext& context, const at::Tensor& x, const at::Tensor& past, const at::Tensor& mask) const;
    at::Tensor convolved(const at::Tensor& projected, const at::Tensor& past, const at::Tensor& mask,
                         at::Tensor& history) const;
    at::Tensor decay(const PassContext& context, const at::Tensor& x) const;
    DeltaHeads headsOf(const Parts& parts, const at::Tensor& before, const at::Tensor& mask) const;
    std::int64_t read() const { return (1 + 2 * m_substeps) * m_heads * m_size; } ///< that the convolutions read
    std::int64_t held() const { return m_heads * m_size * m_size; }

    MaskedOutput m_masked;
    DeltaKind m_kind;
    std::int64_t m_heads, m_size, m_substeps, m_kernel;
    bool m_forgets;
    double m_strength;                    ///< largest beta
    at::Tensor m_q, m_k, m_v;             // [units, in], [substeps units, in]
    at::Tensor m_a, m_b;                  // [heads, in], [substeps heads, in]
    at::Tensor m_logA, m_stepBias;        // [heads]
    at::Tensor m_convQ, m_convK, m_convV; // [units, 1, kernel], [substeps units, 1, kernel], or undefined
    at::Tensor m_gate;                    // [units, in]
    at::Tensor m_gain;                    // [n]
    at::Tensor m_o;                       // [units, units]
};

} // namespace unroll::nodes
