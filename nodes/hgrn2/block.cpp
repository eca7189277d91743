// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/lower_bound.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/outer_heads.h"
#include "nodes/shared/product.h"
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace unroll::nodes::hgrn2 {

namespace {

constexpr double kNormEpsilon = 1e-5; ///< of both forms

class Hgrn2 final : public Block {
public:
    explicit Hgrn2(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_units(setup.integer("units")),
          m_heads(setup.integer("num_heads")),
          m_layer(setup.integer("layer")),
          m_isOfAuthors(setup.text("convention") == "hgru")
    {
        m_q = layer(setup, "q_proj");
        m_f = layer(setup, "f_proj");
        m_i = layer(setup, "i_proj");
        m_norm = layer(setup, "g_norm");
        m_o = layer(setup, "o_proj");
        if (m_layer > 0)
            m_table = addWeight(setup, "lower_bounds");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), state = only(inputs[1]), mask = only(inputs[2]);
        editsAny(context, {"S", "f", "q", "i"}, x, mask);
        const at::Tensor bias = m_isOfAuthors ? at::cat({m_q.bias, m_f.bias, m_i.bias}) : at::Tensor();
        const auto parts = product(context, x, at::cat({m_q.weight, m_f.weight, m_i.weight}), bias).chunk(3, -1);
        const BoundedGate gate(m_table, m_layer);
        const at::Tensor f = signalOfHeads(context, "f", ofHeads(gate.kept(parts[1])));
        const at::Tensor q = m_isOfAuthors ? at::sigmoid(parts[0]) : at::silu(parts[0]) * scale();
        const OuterHeads heads{.q = signalOfHeads(context, "q", ofHeads(q)),
                               .k = context.edits("f") ? 1 - f : ofHeads(gate.letIn(parts[1])),
                               .v = signalOfHeads(context, "i", ofHeads(m_isOfAuthors ? at::silu(parts[2]) : parts[2])),
                               .a = f,
                               .before = state.defined() ? state.unflatten(-1, {m_heads, size(), size()}) : state,
                               .mask = mask,
                               .readsMasked = m_masked.reads()};
        const OuterRead read = readHeads(context, heads, {.columns = size()});
        const at::Tensor y = product(context, normed(read.y.flatten(2)), m_o.weight, m_o.bias);
        return {{m_masked.of(y, mask)}, {read.last.flatten(1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_units * size()}, m_o.weight.options().requires_grad(false))};
    }

private:
    struct Layer {
        at::Tensor weight; // [units, in], or [units] of the norm
        at::Tensor bias;   // [units], or undefined
    };

    Layer layer(const BlockSetup& setup, const std::string& name)
    {
        const at::Tensor weight = addWeight(setup, name + ".weight");
        return {weight, m_isOfAuthors ? addWeight(setup, name + ".bias") : at::Tensor()};
    }

    std::int64_t size() const { return m_units / m_heads; }
    double scale() const { return 1 / std::sqrt(static_cast<double>(size())); }
    at::Tensor ofHeads(const at::Tensor& values) const { return values.unflatten(-1, {m_heads, size()}); }

    /// Over all heads.
    at::Tensor normed(const at::Tensor& read) const
    {
        return m_isOfAuthors ? at::layer_norm(read, {m_units}, m_norm.weight, m_norm.bias, kNormEpsilon)
                             : rmsNorm(read, m_norm.weight, kNormEpsilon);
    }

    MaskedOutput m_masked;
    std::int64_t m_units, m_heads, m_layer;
    bool m_isOfAuthors;
    Layer m_q, m_f, m_i; // [units, in]
    Layer m_norm;        // [units]
    Layer m_o;           // [units, units]
    at::Tensor m_table;  // [layers, units], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Hgrn2>(setup);
}

} // namespace unroll::nodes::hgrn2
