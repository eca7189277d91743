// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace unroll::nodes::min_lstm {

namespace {

using kernels::Activation;

Activation candidateOf(const std::string& word)
{
    return word == "g" ? Activation::Positive : word == "tanh" ? Activation::Tanh : Activation::Identity;
}

class MinLstm final : public Block {
public:
    explicit MinLstm(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_units(setup.integer("units")),
          m_activation(candidateOf(setup.text("activation")))
    {
        m_weight = addWeight(setup, "to_hidden_and_f_i_gate.weight");
        if (setup.boolean("use_bias"))
            m_bias = addWeight(setup, "to_hidden_and_f_i_gate.bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), initial = only(inputs[1]), mask = only(inputs[2]);
        const at::Tensor parts = product(context, x, negatedGates(m_weight), negatedGates(m_bias));
        const at::Tensor keeps = share(parts), hidden = parts.narrow(2, 0, m_units);
        if (editsAny(context, {"h", "f", "i", "c"}, x, mask))
            return editedStep(context, keeps, hidden, initial);
        const auto scan = kernels::gatedScan({keeps, hidden}, whereDefined(initial), whereDefined(mask),
                                             {.candidate = m_activation, .outputGate = false});
        showSignals(keeps.detach(), hidden.detach(), scan.h.detach(), context);
        return {{m_masked.reads() ? scan.h : m_masked.ofZeroed(scan.u, mask)}, {scan.last}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_units}, m_weight.options().requires_grad(false))};
    }

private:
    /// Rows hidden, f, i with those of both gates negated: ln σ(a) = -softplus(-a).
    at::Tensor negatedGates(const at::Tensor& rows) const
    {
        if (!rows.defined())
            return rows;
        return at::cat({rows.narrow(0, 0, m_units), -rows.narrow(0, m_units, 2 * m_units)});
    }

    /// Pre-activation of the share that is kept: f / (f + i) = σ(ln f - ln i), which no gate near 0 divides by 0.
    at::Tensor share(const at::Tensor& parts) const
    {
        return at::softplus(parts.narrow(2, 2 * m_units, m_units)) - at::softplus(parts.narrow(2, m_units, m_units));
    }

    at::Tensor candidate(const at::Tensor& a) const
    {
        if (m_activation == Activation::Positive)
            return at::where(a >= 0, a + 0.5, at::sigmoid(a));
        return m_activation == Activation::Tanh ? at::tanh(a) : a;
    }

    /// One step by the formulas, with what an editor makes of its signals.
    std::vector<Value> editedStep(const PassContext& context, const at::Tensor& keeps, const at::Tensor& hidden,
                                  const at::Tensor& initial) const
    {
        const at::Tensor f = context.edited("f", at::sigmoid(keeps)), i = context.edited("i", at::sigmoid(-keeps));
        const at::Tensor c = context.edited("c", candidate(hidden));
        const at::Tensor before = initial.defined() ? initial.unsqueeze(0) : at::zeros_like(c);
        const at::Tensor h = context.edited("h", f * before + i * c);
        return {{h}, {h.select(0, 0)}};
    }

    void showSignals(const at::Tensor& keeps, const at::Tensor& hidden, const at::Tensor& h,
                     const PassContext& context) const
    {
        if (context.wants("h"))
            context.show("h", h);
        if (context.wants("f"))
            context.show("f", at::sigmoid(keeps));
        if (context.wants("i"))
            context.show("i", at::sigmoid(-keeps));
        if (context.wants("c"))
            context.show("c", candidate(hidden));
    }

    MaskedOutput m_masked;
    std::int64_t m_units;
    Activation m_activation;
    at::Tensor m_weight; // [3 units, in], rows hidden, f, i
    at::Tensor m_bias;   // [3 units], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<MinLstm>(setup);
}

} // namespace unroll::nodes::min_lstm
