// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_recurrence.h"

#include "core/model/initial.h"
#include "nodes/shared/gated_weights.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes {

GatedRecurrence::GatedRecurrence(const BlockSetup& setup, Form form)
    : Block(setup), m_form(std::move(form)), m_signals(m_form.states), m_units(setup.integer("units"))
{
    m_signals.insert(m_signals.end(), m_form.shown.begin(), m_form.shown.end());
    m_weightIh = addWeight(setup, "weight_ih_l0");
    m_weightHh = addWeight(setup, "weight_hh_l0");
    m_biasIh = addWeight("bias_ih_l0", plainBias(setup));
    m_biasHh = addWeight("bias_hh_l0", plainBias(setup));
}

/// A block may put other values in its place afterwards: as in torch.nn, both biases are drawn first.
at::Tensor GatedRecurrence::plainBias(const BlockSetup& setup) const
{
    const WeightSpec spec = plainWeight("", {{m_form.gates * m_units, ""}}, gatedBias({setup.params, setup.inputs}));
    return drawInitial(spec, setup.init, setup.dtype);
}

Value GatedRecurrence::initialState(std::int64_t sequences) const
{
    const auto options = m_weightHh.options().requires_grad(false);
    Value state;
    for (std::size_t i = 0; i < m_form.states.size(); ++i)
        state.push_back(at::zeros({sequences, m_units}, options));
    return state;
}

std::vector<Value> GatedRecurrence::forward(const std::vector<Value>& inputs, const PassContext& context)
{
    const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
    Value state = inputs[1].empty() ? initialState(x.size(1)) : inputs[1];
    StepSignals signals(context, m_signals);
    if (!mask.defined() && !signals.any())
        if (auto outputs = fusedIn(context, x, state))
            return *std::move(outputs);
    return stepwise(context, x, std::move(state), mask, std::move(signals));
}

/// In the precision of the pass; what comes out is in the weights' own.
std::optional<std::vector<Value>> GatedRecurrence::fusedIn(const PassContext& context, const at::Tensor& x,
                                                           Value state) const
{
    std::vector<at::Tensor> weights{m_weightIh, m_weightHh, m_biasIh, m_biasHh};
    for (auto* tensors : {&state, &weights})
        for (at::Tensor& tensor : *tensors)
            tensor = factor(context, tensor);
    auto made = fused(factor(context, x), state, weights);
    if (!made)
        return std::nullopt;
    auto [y, last] = *std::move(made);
    for (at::Tensor& tensor : last)
        tensor = tensor.to(m_weightHh.scalar_type());
    return std::vector<Value>{{y.to(m_weightHh.scalar_type())}, last};
}

namespace {

/// `next` where the step is real, `before` elsewhere. real [B, 1].
void holdWhereMasked(Value& next, const Value& before, const at::Tensor& real)
{
    for (std::size_t i = 0; i < next.size(); ++i)
        next[i] = at::where(real, next[i], before[i]);
}

std::vector<at::Tensor> signalValues(const Value& state, const std::vector<at::Tensor>& shown)
{
    std::vector<at::Tensor> values = state;
    values.insert(values.end(), shown.begin(), shown.end());
    return values;
}

} // namespace

// The input's product is one product for all steps. Steps are taken apart and put together once: indexing in the loop
// would add up an array of full size a step in the backward pass.
std::vector<Value> GatedRecurrence::stepwise(const PassContext& context, const at::Tensor& x, Value state,
                                             const at::Tensor& mask, StepSignals signals) const
{
    const auto inputs = product(context, x, m_weightIh, hoistedBias()).unbind(0);
    const auto real = mask.defined() ? mask.unsqueeze(-1).unbind(0) : std::vector<at::Tensor>();
    std::vector<at::Tensor> outputs;
    for (std::size_t t = 0; t < inputs.size(); ++t) {
        Step next = step(inputs[t], state);
        if (mask.defined())
            holdWhereMasked(next.state, state, real[t]);
        state = std::move(next.state);
        outputs.push_back(mask.defined() ? at::where(real[t], state.front(), 0) : state.front());
        if (signals.any())
            signals.add(signalValues(state, next.shown));
    }
    signals.show();
    return {{at::stack(outputs)}, state};
}

} // namespace unroll::nodes
