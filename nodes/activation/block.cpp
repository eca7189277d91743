// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/activate/activate.h"
#include "core/kernels/common/tensor_checks.h"
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
using kernels::ElementFunction;

/// By our own kernel where it takes x, else by torch.
template <ElementFunction function, Function torchs>
at::Tensor activated(const at::Tensor& x)
{
    return kernels::hasRowKernel(x) ? kernels::activate(x, function) : torchs(x);
}

at::Tensor torchsGelu(const at::Tensor& x)
{
    return at::gelu(x);
}

Function functionOf(const std::string& name)
{
    static const std::map<std::string, Function> functions = {
        {"tanh", &activated<ElementFunction::Tanh, &at::tanh>},
        {"sigmoid", &activated<ElementFunction::Sigmoid, &at::sigmoid>},
        {"relu", [](const at::Tensor& x) { return at::relu(x); }},
        {"silu", &activated<ElementFunction::Silu, &at::silu>},
        {"gelu", &activated<ElementFunction::Gelu, &torchsGelu>},
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
