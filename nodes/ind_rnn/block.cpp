// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/cell_walk.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/step_signals.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::ind_rnn {

namespace {

class IndRnn final : public Block {
public:
    explicit IndRnn(const BlockSetup& setup)
        : Block(setup), m_masked(setup), m_relu(setup.text("nonlinearity") == "relu")
    {
        m_weight = addWeight(setup, "weight_ih");
        if (setup.boolean("use_bias"))
            m_bias = addWeight(setup, "bias");
        m_recurrent = addWeight(setup, "weight_hh");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const bool isEdited = editsAny(context, {"h"}, x, mask);
        StepSignals signals(context, {"h"});
        at::Tensor h = inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front();
        const at::Tensor sums = product(context, x, m_weight, m_bias);
        if (takesCellSteps(x) && !isEdited) {
            using enum kernels::StepCell;
            const CellWalk walk =
                walkCell({.u = sums, .weight = m_recurrent.squeeze(1), .cell = m_relu ? Relu : Tanh}, {h}, mask, false);
            if (signals.any())
                signals.addWalk(walk.states);
            signals.show();
            return {{m_masked.of(walk.states[0], mask)}, walk.last};
        }
        const auto steps = sums.unbind(0);
        const auto real = mask.defined() ? mask.unsqueeze(-1).unbind(0) : std::vector<at::Tensor>();
        const at::Tensor own = m_recurrent.squeeze(1);
        std::vector<at::Tensor> outputs;
        for (std::size_t t = 0; t < steps.size(); ++t) {
            const at::Tensor sum = at::addcmul(steps[t], own, h);
            at::Tensor next = m_relu ? at::relu(sum) : at::tanh(sum);
            if (isEdited)
                next = context.edited("h", next.unsqueeze(0)).squeeze(0);
            h = mask.defined() ? at::where(real[t], next, h) : next;
            outputs.push_back(h);
            if (signals.any())
                signals.add({h});
        }
        signals.endWalk(false);
        signals.show();
        return {{m_masked.of(at::stack(outputs), mask)}, {h}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_recurrent.size(0)}, m_recurrent.options().requires_grad(false))};
    }

private:
    MaskedOutput m_masked;
    bool m_relu;
    at::Tensor m_weight;    // [units, in]
    at::Tensor m_bias;      // [units], or undefined
    at::Tensor m_recurrent; // [units, 1]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<IndRnn>(setup);
}

} // namespace unroll::nodes::ind_rnn
