// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/cell_walk.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/step_signals.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::ligru {

namespace {

constexpr double kEpsilon = 1e-5; // torch.nn.LayerNorm's

class LiGru final : public Block {
public:
    explicit LiGru(const BlockSetup& setup)
        : Block(setup), m_masked(setup), m_units(setup.integer("units")), m_relu(setup.text("nonlinearity") == "relu")
    {
        m_weight = addWeight(setup, "w.weight");
        if (setup.text("normalization") == "none")
            m_bias = addWeight(setup, "w.bias");
        m_recurrent = addWeight(setup, "u.weight");
        if (!m_bias.defined()) {
            m_gain = addWeight(setup, "norm.weight");
            m_shift = addWeight(setup, "norm.bias");
        }
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const bool isEdited = editsAny(context, {"h", "z", "c"}, x, mask);
        StepSignals signals(context, {"h", "z", "c"});
        at::Tensor h = inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front();
        const at::Tensor fromX = fromInput(context, x);
        if (takesCellSteps(x) && !isEdited)
            return byKernel(fromX, h, mask, signals);
        const auto steps = fromX.unbind(0);
        const at::Tensor recurrent = m_recurrent.t();
        const auto real = mask.defined() ? mask.unsqueeze(-1).unbind(0) : std::vector<at::Tensor>();
        std::vector<at::Tensor> outputs;
        for (std::size_t t = 0; t < steps.size(); ++t) {
            const auto sums = at::addmm(steps[t], h, recurrent).chunk(2, 1);
            const at::Tensor z = edited(context, "z", at::sigmoid(sums[1]));
            const at::Tensor c = edited(context, "c", m_relu ? at::relu(sums[0]) : at::tanh(sums[0]));
            const at::Tensor next = edited(context, "h", at::addcmul(z * h, 1 - z, c));
            h = mask.defined() ? at::where(real[t], next, h) : next;
            outputs.push_back(h);
            if (signals.any())
                signals.add({h, z, c});
        }
        signals.endWalk(false);
        signals.show();
        return {{m_masked.of(at::stack(outputs), mask)}, {h}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_units}, m_recurrent.options().requires_grad(false))};
    }

private:
    std::vector<Value> byKernel(const at::Tensor& u, const at::Tensor& h, const at::Tensor& mask,
                                StepSignals& signals) const
    {
        using enum kernels::StepCell;
        const CellWalk walk =
            walkCell({.u = u, .weight = m_recurrent.unsqueeze(0), .cell = m_relu ? LiGruRelu : LiGruTanh}, {h}, mask,
                     signals.any());
        if (signals.any()) {
            const at::Tensor &c = walk.sums[0], &z = walk.sums[1];
            signals.addWalk({walk.states[0], at::sigmoid(z), m_relu ? at::relu(c) : at::tanh(c)});
        }
        signals.show();
        return {{m_masked.of(walk.states[0], mask)}, walk.last};
    }

    /// Both sums' part of the input, [T, B, 2 units].
    at::Tensor fromInput(const PassContext& context, const at::Tensor& x) const
    {
        const at::Tensor sums = product(context, x, m_weight, m_bias);
        return m_gain.defined() ? at::layer_norm(sums, {2 * m_units}, m_gain, m_shift, kEpsilon) : sums;
    }

    static at::Tensor edited(const PassContext& context, const char* signal, const at::Tensor& value)
    {
        return context.edits(signal) ? context.edited(signal, value.unsqueeze(0)).squeeze(0) : value;
    }

    MaskedOutput m_masked;
    std::int64_t m_units;
    bool m_relu;
    at::Tensor m_weight;        // [2 units, in], rows candidate, z
    at::Tensor m_bias;          // [2 units], without a norm
    at::Tensor m_recurrent;     // [2 units, units]
    at::Tensor m_gain, m_shift; // [2 units], of the norm
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<LiGru>(setup);
}

} // namespace unroll::nodes::ligru
