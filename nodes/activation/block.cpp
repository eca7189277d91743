// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activations.h"
#include "nodes/shared/values.h"

namespace unroll::nodes::activation {

namespace {

class Activation final : public Block {
public:
    explicit Activation(const BlockSetup& setup) : Block(setup), m_function(elementFunction(setup.text("function"))) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, m_function(only(inputs[0])));
    }

private:
    ElementFunction m_function;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Activation>(setup);
}

} // namespace unroll::nodes::activation
