// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/cell_walk.h"
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/step_signals.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

namespace unroll::nodes::slstm {

namespace {

/// A step: the state's tensors h, c, n, m, and the gates i, f, z, o; [B, units] each.
struct Step {
    Value state;
    std::vector<at::Tensor> gates;
};

class Slstm final : public Block {
public:
    explicit Slstm(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_units(setup.integer("units")),
          m_heads(setup.integer("num_heads")),
          m_exponential(setup.text("forget_gate") == "exp")
    {
        m_weight = addWeight(setup, "weight");
        m_recurrent = addWeight(setup, "recurrent_kernel");
        m_bias = addWeight("bias", initialBias(setup));
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        Value state = inputs[1].empty() ? initialState(x.size(1)) : inputs[1];
        const bool isEdited = editsAny(context, {"h", "c", "n", "m", "i", "f", "z", "o"}, x, mask);
        StepSignals signals(context, {"h", "c", "n", "m", "i", "f", "z", "o"});
        at::Tensor y = takesCellSteps(x) && !isEdited ? byKernel(context, x, state, mask, signals)
                                                      : byStep(context, x, state, mask, signals);
        signals.show();
        return {{m_masked.of(y, mask)}, std::move(state)};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const auto options = m_weight.options().requires_grad(false);
        Value state;
        for (int part = 0; part < 4; ++part)
            state.push_back(at::zeros({sequences, m_units}, options));
        return state;
    }

    /// h, c, n, m
    std::vector<std::int64_t> stabilisers() const override
    {
        std::vector<std::int64_t> places(static_cast<std::size_t>(m_units), kNotScaled);
        for (int part = 1; part < 4; ++part)
            for (std::int64_t unit = 0; unit < m_units; ++unit)
                places.push_back(3 * m_units + unit);
        return places;
    }

private:
    /// h after each step, [T, B, units]; `state` becomes that after the last.
    at::Tensor byStep(const PassContext& context, const at::Tensor& x, Value& state, const at::Tensor& mask,
                      StepSignals& signals) const
    {
        const auto steps = product(context, x, m_weight, m_bias).unbind(0);
        const at::Tensor blocks = m_recurrent.transpose(1, 2); // [heads, n, 4 n]
        const auto real = mask.defined() ? mask.unsqueeze(-1).unbind(0) : std::vector<at::Tensor>();
        std::vector<at::Tensor> outputs;
        for (std::size_t t = 0; t < steps.size(); ++t) {
            Step next = cell(context, (steps[t] + recurrent(state[0], blocks)).chunk(4, 1), state);
            if (mask.defined())
                for (std::size_t i = 0; i < state.size(); ++i)
                    next.state[i] = at::where(real[t], next.state[i], state[i]);
            state = std::move(next.state);
            outputs.push_back(state[0]);
            if (signals.any())
                signals.add(allSignals(state, next.gates));
        }
        signals.endWalk(false);
        return at::stack(outputs);
    }

    /// The same by the kernel, which has the rows of a head together.
    at::Tensor byKernel(const PassContext& context, const at::Tensor& x, Value& state, const at::Tensor& mask,
                        StepSignals& signals) const
    {
        const auto byHeads = [this](const at::Tensor& rows) {
            return rows.unflatten(0, {4, m_heads, -1}).transpose(0, 1).flatten(0, 2);
        };
        using enum kernels::StepCell;
        CellWalk walk = walkCell({.u = product(context, x, byHeads(m_weight), byHeads(m_bias)),
                                  .weight = m_recurrent,
                                  .cell = m_exponential ? SlstmExp : SlstmSigmoid},
                                 state, mask, signals.any());
        if (signals.any()) {
            Value before;
            for (std::size_t i = 0; i < state.size(); ++i)
                before.push_back(at::cat({state[i].unsqueeze(0), walk.states[i].slice(0, 0, -1)}));
            signals.addWalk(allSignals(walk.states, cell(context, walk.sums, before).gates));
        }
        state = std::move(walk.last);
        return walk.states[0];
    }

    static std::vector<at::Tensor> allSignals(std::vector<at::Tensor> state, const std::vector<at::Tensor>& gates)
    {
        state.insert(state.end(), gates.begin(), gates.end());
        return state;
    }

    /// That of f from 5 down to -7 in each head, by a power of the place; or rising from 3 to 6. All others 0.
    at::Tensor initialBias(const BlockSetup& setup) const
    {
        const std::int64_t n = m_units / m_heads;
        const at::Tensor place = at::arange(n, at::kDouble) / static_cast<double>(std::max<std::int64_t>(n - 1, 1));
        const at::Tensor head = setup.text("bias_initializer") == "powerlaw"
                                    ? 5 - place.pow(0.3 + 1.3 * setup.real("block_ratio")) * 12
                                    : place * 3 + 3;
        at::Tensor bias = at::zeros({4 * m_units}, at::kDouble);
        bias.narrow(0, m_units, m_units).copy_(head.repeat({m_heads}));
        return bias.to(setup.dtype);
    }

    /// R h, the rows of each gate side by side: [B, 4 units].
    at::Tensor recurrent(const at::Tensor& h, const at::Tensor& blocks) const
    {
        const at::Tensor heads = h.unflatten(1, {m_heads, -1}).transpose(0, 1); // [heads, B, n]
        return at::bmm(heads, blocks).unflatten(2, {4, -1}).permute({1, 2, 0, 3}).flatten(1);
    }

    /// From the sums of the gates and the state before, to what follows: of one step, or of all.
    Step cell(const PassContext& context, const std::vector<at::Tensor>& sums, const Value& before) const
    {
        const auto edited = [&](const char* signal, const at::Tensor& value) {
            return context.edits(signal) ? context.edited(signal, value.unsqueeze(0)).squeeze(0) : value;
        };
        const at::Tensor held = before[2].abs(); // n is never negative, unless a state is given that no step has made
        const at::Tensor kept = (m_exponential ? sums[1] : at::log_sigmoid(sums[1])) + before[3];
        const at::Tensor m = edited("m", at::where(held == 0, sums[0], at::maximum(kept, sums[0])));
        const at::Tensor i = edited("i", (sums[0] - m).clamp_max(0).exp());
        const at::Tensor f = edited("f", (kept - m).clamp_max(0).exp());
        const at::Tensor z = edited("z", at::tanh(sums[2])), o = edited("o", at::sigmoid(sums[3]));
        const at::Tensor c = edited("c", at::addcmul(f * before[1], i, z));
        const at::Tensor n = edited("n", at::addcmul(i, f, held));
        return {{edited("h", o * (c / n)), c, n, m}, {i, f, z, o}};
    }

    MaskedOutput m_masked;
    std::int64_t m_units, m_heads;
    bool m_exponential;
    at::Tensor m_weight;    // [4 units, in], rows i f z o
    at::Tensor m_recurrent; // [heads, 4 n, n], rows i f z o of each head
    at::Tensor m_bias;      // [4 units]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Slstm>(setup);
}

} // namespace unroll::nodes::slstm
