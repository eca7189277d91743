// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/masked_output.h"
#include "nodes/shared/outer_heads.h"
#include "nodes/shared/product.h"
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace unroll::nodes::gla {

namespace {

constexpr double kNormEpsilon = 1e-5; ///< the authors'

class Gla final : public Block {
public:
    explicit Gla(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_heads(setup.integer("num_heads")),
          m_size(setup.integer("units") / m_heads),
          m_power(1 / setup.real("gate_normalizer")),
          m_q(addWeight(setup, "q_proj.weight")),
          m_k(addWeight(setup, "k_proj.weight")),
          m_v(addWeight(setup, "v_proj.weight")),
          m_g(addWeight(setup, "g_proj.weight")),
          m_narrow(addWeight(setup, "gk_proj.0.weight")),
          m_wide(addWeight(setup, "gk_proj.1.weight")),
          m_bias(addWeight(setup, "gk_proj.1.bias")),
          m_gain(addWeight(setup, "g_norm_swish_gate.weight")),
          m_o(addWeight(setup, "o_proj.weight"))
    {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), state = only(inputs[1]), mask = only(inputs[2]);
        editsAny(context, {"S", "a", "q", "k", "v", "g"}, x, mask);
        const at::Tensor parts = product(context, x, at::cat({m_q, m_k, m_v, m_g})).unflatten(-1, {4, m_heads, m_size});
        const double scale = 1 / std::sqrt(static_cast<double>(m_size));
        const OuterHeads heads{.q = signalOfHeads(context, "q", parts.select(2, 0) * scale),
                               .k = signalOfHeads(context, "k", parts.select(2, 1)),
                               .v = signalOfHeads(context, "v", parts.select(2, 2)),
                               .a = signalOfHeads(context, "a", forgetGate(context, x)),
                               .before = state.defined() ? state.unflatten(-1, {m_heads, m_size, m_size}) : state,
                               .mask = mask,
                               .readsMasked = m_masked.reads()};
        const at::Tensor gate = signalOfHeads(context, "g", at::silu(parts.select(2, 3)));
        const OuterRead read = readHeads(context, heads, {.columns = m_size});
        const at::Tensor y = product(context, (rmsNorm(read.y, m_gain, kNormEpsilon) * gate).flatten(2), m_o);
        return {{m_masked.of(y, mask)}, {read.last.flatten(1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_heads * m_size * m_size}, m_o.options().requires_grad(false))};
    }

private:
    /// sigmoid(...)^(1 / gate_normalizer), [T, B, heads, n]
    at::Tensor forgetGate(const PassContext& context, const at::Tensor& x) const
    {
        const at::Tensor made = product(context, product(context, x, m_narrow), m_wide, m_bias);
        return (at::log_sigmoid(made) * m_power).exp().unflatten(-1, {m_heads, m_size});
    }

    MaskedOutput m_masked;
    std::int64_t m_heads, m_size;
    double m_power;
    at::Tensor m_q, m_k, m_v, m_g; // [units, in]
    at::Tensor m_narrow;           // [gate_rank, in]
    at::Tensor m_wide, m_bias;     // [units, gate_rank], [units]
    at::Tensor m_gain;             // [n]
    at::Tensor m_o;                // [units, units]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Gla>(setup);
}

} // namespace unroll::nodes::gla
