// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace unroll::nodes::mingru {

namespace {

using kernels::Activation;

Activation activationOf(const std::string& word)
{
    return word == "g" ? Activation::Positive : word == "tanh" ? Activation::Tanh : Activation::Identity;
}

class MinGru final : public Block {
public:
    explicit MinGru(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_units(setup.integer("units")),
          m_activation(activationOf(setup.text("activation")))
    {
        m_weight = addWeight(setup, "to_hidden_and_gate.weight");
        if (setup.boolean("use_bias"))
            m_bias = addWeight(setup, "to_hidden_and_gate.bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), initial = only(inputs[1]), mask = only(inputs[2]);
        const at::Tensor parts = product(context, x, keepFirst(m_weight), keepFirst(m_bias));
        if (editsAny(context, {"h", "z", "c"}, x, mask))
            return editedStep(context, parts, initial);
        const auto scan = kernels::gatedScan(parts, whereDefined(initial), whereDefined(mask),
                                             {.candidate = m_activation, .outputGate = false});
        showSignals(parts.detach(), scan.h.detach(), context);
        return {{m_masked.reads() ? scan.h : m_masked.ofZeroed(scan.u, mask)}, {scan.last}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_units}, m_weight.options().requires_grad(false))};
    }

private:
    /// Rows (hidden, gate) in the order and with the sign of the scan, whose gate keeps: 1 - z is the sigmoid of -a_z.
    at::Tensor keepFirst(const at::Tensor& rows) const
    {
        if (!rows.defined())
            return rows;
        return at::cat({-rows.narrow(0, m_units, m_units), rows.narrow(0, 0, m_units)});
    }

    at::Tensor candidate(const at::Tensor& a) const
    {
        if (m_activation == Activation::Positive)
            return at::where(a >= 0, a + 0.5, at::sigmoid(a));
        return m_activation == Activation::Tanh ? at::tanh(a) : a;
    }

    /// One step by the formulas, with what an editor makes of its signals.
    std::vector<Value> editedStep(const PassContext& context, const at::Tensor& parts, const at::Tensor& initial) const
    {
        const at::Tensor z = context.edited("z", at::sigmoid(-parts.narrow(2, 0, m_units)));
        const at::Tensor c = context.edited("c", candidate(parts.narrow(2, m_units, m_units)));
        const at::Tensor before = initial.defined() ? initial.unsqueeze(0) : at::zeros_like(c);
        const at::Tensor h = context.edited("h", (1 - z) * before + z * c);
        return {{h}, {h.select(0, 0)}};
    }

    void showSignals(const at::Tensor& parts, const at::Tensor& h, const PassContext& context) const
    {
        if (context.wants("h"))
            context.show("h", h);
        if (context.wants("z"))
            context.show("z", at::sigmoid(-parts.narrow(2, 0, m_units)));
        if (context.wants("c"))
            context.show("c", candidate(parts.narrow(2, m_units, m_units)));
    }

    MaskedOutput m_masked;
    std::int64_t m_units;
    Activation m_activation;
    at::Tensor m_weight; // [2 units, in], hidden first
    at::Tensor m_bias;   // [2 units], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<MinGru>(setup);
}

} // namespace unroll::nodes::mingru
