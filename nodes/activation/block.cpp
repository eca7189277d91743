// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/tanh.h>

#include <cassert>

namespace unroll::nodes::activation {

namespace {

using Function = at::Tensor (*)(const at::Tensor&);
Function functionOf(const std::string& name)
{
    static const std::map<std::string, Function> functions = {
        {"tanh", &at::tanh},
        {"sigmoid", &at::sigmoid},
        {"relu", [](const at::Tensor& x) { return at::relu(x); }},
        {"silu", &at::silu},
        {"gelu", [](const at::Tensor& x) { return at::gelu(x); }},
        {"softplus", [](const at::Tensor& x) { return at::softplus(x); }},
    };
    assert(functions.count(name) > 0);
    return functions.at(name);
}

class Activation final : public Block {
public:
    explicit Activation(const BlockSetup& setup) : Block(setup), m_function(functionOf(setup.text("function"))) {}

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
