// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activations.h"
#include "nodes/shared/values.h"

#include <ATen/ops/threshold.h>

#include <functional>

namespace unroll::nodes::activation {

namespace {

using Function = std::function<at::Tensor(const at::Tensor&)>;

Function functionOf(const BlockSetup& setup)
{
    const std::string& name = setup.text("function");
    if (name != "threshold")
        return activationFunction(name);
    return [threshold = setup.real("threshold"), otherwise = setup.real("default_value")](const at::Tensor& x) {
        return at::threshold(x, threshold, otherwise);
    };
}

class Activation final : public Block {
public:
    explicit Activation(const BlockSetup& setup) : Block(setup), m_function(functionOf(setup)) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, m_function(only(inputs[0])));
    }

private:
    Function m_function;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Activation>(setup);
}

} // namespace unroll::nodes::activation
