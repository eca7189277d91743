// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/history.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::module_conv {

namespace {

class ModuleConv final : public Block {
public:
    explicit ModuleConv(const BlockSetup& setup)
        : Block(setup),
          m_in(setup.dimension("input_size")),
          m_modules(setup.integer("num_modules")),
          m_kernel(setup.integer("kernel_size")),
          m_moduleKernel(setup.integer("module_kernel")),
          m_convs(setup.integer("num_convs")),
          m_weight(addWeight(setup, "weight"))
    {
        if (setup.boolean("bias"))
            m_bias = addWeight(setup, "bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const Value state = inputs[1].empty() ? initialState(x.size(1)) : inputs[1];
        const History history(x, state.front().unflatten(1, {-1, m_in}), mask);
        const at::Tensor all = product(context, readBy(history), m_weight, m_bias); // [T, B, modules, convs features]
        at::Tensor y = all.unflatten(-1, {m_convs, -1}).transpose(2, 3).flatten(2);
        if (mask.defined())
            y = at::where(mask.unsqueeze(-1), y, 0);
        return {onlyOutput(context, y).front(), {history.last().flatten(1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, (m_kernel - 1) * m_in}, m_weight.options().requires_grad(false))};
    }

private:
    /// What the filters of each module read, side by side: of the step itself, then of the steps before it, the modules
    /// from the first to the last; [T, B, modules, columns of the weight].
    at::Tensor readBy(const History& history) const
    {
        const std::int64_t half = m_moduleKernel / 2;
        std::vector<at::Tensor> read;
        for (std::int64_t step = 0; step < m_kernel; ++step) {
            const at::Tensor modules = history.before(step).unflatten(-1, {m_modules, -1});
            const at::Tensor padded = at::constant_pad_nd(modules, {0, 0, half, half});
            for (std::int64_t first = 0; first < m_moduleKernel; ++first)
                read.push_back(padded.narrow(2, first, m_modules));
        }
        return at::cat(read, -1);
    }

    std::int64_t m_in, m_modules, m_kernel, m_moduleKernel, m_convs;
    at::Tensor
        m_weight; // [convs width / modules, kernel module_kernel in / modules]: rows of the first convolution first
    at::Tensor m_bias; // [convs width / modules], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<ModuleConv>(setup);
}

} // namespace unroll::nodes::module_conv
