// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan.h"
#include "nodes/shared/product.h"
#include "nodes/shared/ternary_dense.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/hardsigmoid.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::grumml {

namespace {

at::Tensor activated(const at::Tensor& a, const std::string& activation)
{
    if (activation == "silu")
        return at::silu(a);
    if (activation == "tanh")
        return at::tanh(a);
    if (activation == "sigmoid")
        return at::sigmoid(a);
    return activation == "relu" ? at::relu(a) : a;
}

/// The pre-activations of a pass, [T, B, units] each.
struct Gates {
    at::Tensor f, c, g;
};

class GruMml final : public Block {
public:
    explicit GruMml(const BlockSetup& setup)
        : Block(setup),
          m_units(setup.integer("units")),
          m_fully(setup.boolean("fully_mml")),
          m_hardGates(setup.text("recurrent_activation") == "hard_sigmoid"),
          m_activation(setup.text("activation")),
          m_gradient(setup.text("gradient") == "keras" ? TernaryGradient::Keras : TernaryGradient::StraightThrough)
    {
        m_ternary = layer(setup, m_fully ? "fcg" : "fc", true);
        m_ternary.scales = setup.text("scales") != "per_gate" ? 1 : m_fully ? 3 : 2;
        if (!m_fully)
            m_data = layer(setup, "g", false);
        m_output = layer(setup, "o", m_fully);
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), initial = only(inputs[1]), mask = only(inputs[2]);
        const at::Tensor first = apply(context, m_ternary, x);
        const at::Tensor second = m_fully ? at::Tensor() : apply(context, m_data, x);
        const kernels::GatedScanResult scan =
            m_hardGates ? stepwise(split(first, second), initial, mask) : fused(first, second, initial, mask);
        showSignals(split(first, second), scan.h, context);
        if (context.wants("q"))
            context.show("q", ternaryInputCodes(x, m_ternary.gain));
        at::Tensor y = apply(context, m_output, scan.u);
        if (mask.defined())
            y = at::where(mask.unsqueeze(-1), y, 0);
        return {{y}, {scan.last}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_units}, m_output.weight.options().requires_grad(false))};
    }

private:
    struct Layer {
        at::Tensor gain;   // [in]; undefined: not ternary
        at::Tensor weight; // [out, in]
        at::Tensor bias;   // [out], or undefined
        std::int64_t scales = 1;
    };

    Layer layer(const BlockSetup& setup, const std::string& name, bool ternary)
    {
        Layer made;
        if (ternary)
            made.gain = addWeight(setup, "gain_" + name);
        made.weight = addWeight(setup, "weight_" + name);
        if (setup.boolean("use_bias"))
            made.bias = addWeight(setup, "bias_" + name);
        return made;
    }

    /// A ternary layer rounds by its own rule, whatever the precision of products.
    at::Tensor apply(const PassContext& context, const Layer& layer, const at::Tensor& x) const
    {
        if (layer.gain.defined())
            return ternaryDense(x, layer.gain, layer.weight, layer.bias, {m_gradient, layer.scales});
        return product(context, x, layer.weight, layer.bias);
    }

    Gates split(const at::Tensor& first, const at::Tensor& second) const
    {
        const auto parts = first.split(m_units, -1);
        return {parts[0], parts[1], m_fully ? parts[2] : second};
    }

    /// The kernel reads the layers' outputs as they lie; only an activation that it lacks is applied before.
    kernels::GatedScanResult fused(const at::Tensor& first, const at::Tensor& second, const at::Tensor& initial,
                                   const at::Tensor& mask) const
    {
        using kernels::Activation;
        const bool known = m_activation == "silu" || m_activation == "tanh" || m_activation == "identity";
        const Activation activation = m_activation == "silu"   ? Activation::Silu
                                      : m_activation == "tanh" ? Activation::Tanh
                                                               : Activation::Identity;
        std::vector<at::Tensor> gates = {first};
        if (second.defined())
            gates.push_back(second);
        if (!known) {
            const Gates parts = split(first, second);
            gates = {parts.f, activated(parts.c, m_activation), parts.g};
        }
        return kernels::gatedScan(gates, whereDefined(initial), whereDefined(mask), {.candidate = activation});
    }

    kernels::GatedScanResult stepwise(const Gates& gates, const at::Tensor& initial, const at::Tensor& mask) const
    {
        const auto f = at::hardsigmoid(gates.f).unbind(0), c = activated(gates.c, m_activation).unbind(0);
        at::Tensor state = initial.defined() ? initial : initialState(gates.f.size(1)).front();
        std::vector<at::Tensor> states;
        for (std::size_t t = 0; t < f.size(); ++t) {
            const at::Tensor next = at::lerp(c[t], state, f[t]);
            state = mask.defined() ? at::where(mask[static_cast<std::int64_t>(t)].unsqueeze(-1), next, state) : next;
            states.push_back(state);
        }
        const at::Tensor h = at::stack(states), u = at::hardsigmoid(gates.g) * h;
        return {mask.defined() ? at::where(mask.unsqueeze(-1), u, 0) : u, h, state};
    }

    void showSignals(const Gates& gates, const at::Tensor& h, const PassContext& context) const
    {
        const auto gate = [&](const at::Tensor& a) {
            return m_hardGates ? at::hardsigmoid(a.detach()) : at::sigmoid(a.detach());
        };
        if (context.wants("h"))
            context.show("h", h.detach());
        if (context.wants("f"))
            context.show("f", gate(gates.f));
        if (context.wants("c"))
            context.show("c", activated(gates.c.detach(), m_activation));
        if (context.wants("g"))
            context.show("g", gate(gates.g));
    }

    std::int64_t m_units;
    bool m_fully, m_hardGates;
    std::string m_activation;
    TernaryGradient m_gradient;
    Layer m_ternary; // f and c, and g where all is ternary
    Layer m_data;    // g, full precision; unused where all is ternary
    Layer m_output;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<GruMml>(setup);
}

} // namespace unroll::nodes::grumml
