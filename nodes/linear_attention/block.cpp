// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/masked_output.h"
#include "nodes/shared/outer_heads.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace unroll::nodes::linear_attention {

namespace {

constexpr double kLeastWeight = 1e-6; ///< added to the sum of weights, as the authors do

class LinearAttention final : public Block {
public:
    explicit LinearAttention(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_heads(setup.integer("num_heads")),
          m_size(setup.integer("units") / m_heads),
          m_elu(setup.text("feature_map") == "elu"),
          m_normalizes(m_elu && setup.boolean("normalize")),
          m_q(addWeight(setup, "q_proj.weight")),
          m_k(addWeight(setup, "k_proj.weight")),
          m_v(addWeight(setup, "v_proj.weight")),
          m_o(addWeight(setup, "o_proj.weight"))
    {
        if (setup.text("decay") == "learned")
            m_logits = addWeight(setup, "logits");
        if (setup.text("decay") == "retnet")
            m_decay = 1 - at::exp2(-5 - at::arange(m_heads, m_o.options().requires_grad(false)));
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), state = only(inputs[1]), mask = only(inputs[2]);
        editsAny(context, {"S", "q", "k", "v"}, x, mask);
        const at::Tensor parts = product(context, x, at::cat({m_q, m_k, m_v})).unflatten(-1, {3, m_heads, m_size});
        const double scale = 1 / std::sqrt(static_cast<double>(m_size));
        OuterHeads heads{.q = signalOfHeads(context, "q", features(parts.select(2, 0)) * scale),
                         .k = signalOfHeads(context, "k", features(parts.select(2, 1))),
                         .v = signalOfHeads(context, "v", parts.select(2, 2)),
                         .a = whereDefined(m_logits.defined() ? at::sigmoid(m_logits) : m_decay),
                         .before = before(state),
                         .mask = mask,
                         .readsMasked = m_masked.reads()};
        if (m_normalizes)
            heads.v = at::cat({heads.v, at::ones_like(heads.v.narrow(-1, 0, 1))}, -1);
        const OuterRead read = readHeads(context, heads, {.columns = m_size});
        const at::Tensor y = product(context, weighted(read.y).flatten(2), m_o);
        return {{m_masked.of(y, mask)}, {read.last.flatten(1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_heads * m_size * columns()}, m_o.options().requires_grad(false))};
    }

private:
    std::int64_t columns() const { return m_size + (m_normalizes ? 1 : 0); }

    /// Sums of weights are never negative: whatever numbers a state has, they are taken so.
    at::Tensor before(const at::Tensor& state) const
    {
        if (!state.defined())
            return state;
        const at::Tensor given = state.unflatten(-1, {m_heads, m_size, columns()});
        if (!m_normalizes)
            return given;
        return at::cat({given.narrow(-1, 0, m_size), given.narrow(-1, m_size, 1).abs()}, -1);
    }

    at::Tensor features(const at::Tensor& a) const { return m_elu ? at::elu(a) + 1 : a; }

    /// The last column has the sum of the weights.
    at::Tensor weighted(const at::Tensor& read) const
    {
        if (!m_normalizes)
            return read;
        return read.narrow(-1, 0, m_size) / (read.narrow(-1, m_size, 1) + kLeastWeight);
    }

    MaskedOutput m_masked;
    std::int64_t m_heads, m_size;
    bool m_elu, m_normalizes;
    at::Tensor m_q, m_k, m_v; // [units, in]
    at::Tensor m_o;           // [units, units]
    at::Tensor m_logits;      // [heads], or undefined
    at::Tensor m_decay;       // [heads], or undefined: of RetNet
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<LinearAttention>(setup);
}

} // namespace unroll::nodes::linear_attention
