// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activations.h"
#include "nodes/shared/dense_layer.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>

namespace unroll::nodes::glu {

namespace {

class Glu final : public Block {
public:
    explicit Glu(const BlockSetup& setup)
        : Block(setup),
          m_activation(elementFunction(setup.text("activation"))),
          m_up(layer(setup, "up")),
          m_down(layer(setup, "down"))
    {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const auto parts = applied(context, m_up, only(inputs[0])).chunk(2, -1);
        const at::Tensor g = context.edited("g", m_activation(parts[0]));
        const at::Tensor p = context.edited("p", g * parts[1]);
        if (context.wants("g"))
            context.show("g", g.detach());
        if (context.wants("p"))
            context.show("p", p.detach());
        return onlyOutput(context, applied(context, m_down, p));
    }

private:
    DenseLayer layer(const BlockSetup& setup, const std::string& name)
    {
        DenseLayer made;
        made.form.gradient = ternaryGradient(setup);
        if (setup.boolean("ternary"))
            made.gain = addWeight(setup, "gain_" + name);
        made.weight = addWeight(setup, "weight_" + name);
        if (setup.boolean("use_bias"))
            made.bias = addWeight(setup, "bias_" + name);
        return made;
    }

    ElementFunction m_activation;
    DenseLayer m_up;   // [2 inner, in]: gate, then values
    DenseLayer m_down; // [units, inner]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Glu>(setup);
}

} // namespace unroll::nodes::glu
