// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_recurrence.h"

#include "core/model/begun_state.h"
#include "core/model/initial.h"
#include "nodes/shared/gated_weights.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <cassert>
#include <string>

namespace unroll::nodes {

GatedRecurrence::GatedRecurrence(const BlockSetup& setup, Form form)
    : Block(setup),
      m_masked(setup),
      m_form(std::move(form)),
      m_signals(m_form.states),
      m_units(setup.integer("units")),
      m_layers(setup.integer("num_layers")),
      m_ways(setup.boolean("bidirectional") ? 2 : 1)
{
    m_signals.insert(m_signals.end(), m_form.shown.begin(), m_form.shown.end());
    for (const std::string& place : gatedPlaces(m_layers, m_ways == 2)) {
        Direction direction;
        direction.weightIh = addWeight(setup, "weight_ih" + place);
        direction.weightHh = addWeight(setup, "weight_hh" + place);
        if (setup.boolean("bias")) {
            direction.biasIh = addWeight("bias_ih" + place, plainBias(setup));
            direction.biasHh = addWeight("bias_hh" + place, plainBias(setup));
        }
        m_directions.push_back(std::move(direction));
    }
    if (setup.boolean("learned_state"))
        for (const std::string& state : m_form.states)
            m_learned.push_back(addWeight(setup, "initial_" + state));
}

void GatedRecurrence::addOwnWeights(const BlockSetup& setup, const std::string& name)
{
    const auto places = gatedPlaces(m_layers, m_ways == 2);
    for (std::size_t i = 0; i < m_directions.size(); ++i)
        m_directions[i].own = addWeight(setup, name + places[i]);
}

/// A block may put other values in its place afterwards: as in torch.nn, both biases are drawn first.
at::Tensor GatedRecurrence::plainBias(const BlockSetup& setup) const
{
    const WeightSpec spec = plainWeight("", {{m_form.gates * m_units, ""}}, gatedBias({setup.params, setup.inputs}));
    return drawInitial(spec, setup.init, setup.dtype);
}

GatedRecurrence::Direction GatedRecurrence::withBiases(Direction direction)
{
    if (!direction.biasIh.defined()) {
        const at::Tensor& weight = direction.weightHh;
        direction.biasIh = direction.biasHh = at::zeros({weight.size(0)}, weight.options().requires_grad(false));
    }
    return direction;
}

Value GatedRecurrence::initialState(std::int64_t sequences) const
{
    const auto options = m_directions.front().weightHh.options().requires_grad(false);
    const std::int64_t width = static_cast<std::int64_t>(m_directions.size()) * m_units;
    Value state;
    for (std::size_t i = 0; i < m_form.states.size(); ++i)
        state.push_back(at::zeros({sequences, width}, options));
    return state;
}

std::vector<Value> GatedRecurrence::forward(const std::vector<Value>& inputs, const PassContext& context)
{
    const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
    const Value state = inputs[1].empty() ? initialState(x.size(1)) : inputs[1];
    if (m_learned.empty())
        return run(context, x, state, mask);
    std::vector<Value> outputs = run(context, x, movedFrom(m_learned, state), mask);
    for (std::size_t i = 0; i < outputs[1].size(); ++i)
        outputs[1][i] = outputs[1][i] - m_learned[i];
    return outputs;
}

std::vector<Value> GatedRecurrence::run(const PassContext& context, const at::Tensor& x, const Value& state,
                                        const at::Tensor& mask) const
{
    StepSignals signals(context, m_signals);
    const bool isSlowAlone = m_form.fusedFirst && x.is_cpu() && x.size(0) == 1; // oneDNN sets a whole layer up first
    if (!mask.defined() && !signals.any() && !kernelFirst(context, x) && !isEdited(context) && !isSlowAlone)
        if (auto outputs = fusedIn(context, x, state))
            return *std::move(outputs);
    return stepwise(context, x, state, mask, std::move(signals));
}

bool GatedRecurrence::isEdited(const PassContext& context) const
{
    bool any = false;
    for (const std::string& signal : m_signals)
        any = context.edits(signal.c_str()) || any; // all are asked for: an editor learns what can be changed
    return any;
}

/// A kernel packs its weight first, which a single step would not pay for.
bool GatedRecurrence::takesKernel(const at::Tensor& x) const
{
    return x.size(0) > 1 &&
           ((x.is_cpu() && m_form.kernel != Kernel::None) || (x.is_cuda() && m_form.kernel == Kernel::CpuAndCuda));
}

/// Whether the kernel is ahead of ATen's fused operation: on the CPU always, unless the form says otherwise; on a GPU,
/// in fp32, for as many numbers of a state as were measured beside cuDNN (an H200, docs/benchmarks/gpu-h200.md: 32
/// sequences of 512 units, 2.0 times as fast for RNN with gradients, 1.1 for GRU).
bool GatedRecurrence::kernelFirst(const PassContext& context, const at::Tensor& x) const
{
    constexpr std::int64_t kMeasured = 32 * 512;
    return takesKernel(x) && (x.is_cpu() ? !m_form.fusedFirst : (!context.bf16 && x.size(1) * m_units <= kMeasured));
}

GatedRecurrence::Walked GatedRecurrence::walkByKernel(const Steps&, const Direction&) const
{
    assert(false && "a form that has a kernel walks by it");
    return {};
}

namespace {

/// cuDNN wants the weights of a layer in one piece and says at every call that it copies ours into one. They are
/// tensors of their own, which the optimiser, checkpoints and pictures share; the copy moves a layer's weights once a
/// sequence.
class WithoutCompaction final : public c10::WarningHandler {
public:
    void process(const c10::Warning& warning) override
    {
        if (warning.msg().find("single contiguous chunk of memory") == std::string::npos)
            c10::WarningHandler::process(warning);
    }
};

WithoutCompaction& withoutCompaction()
{
    static WithoutCompaction handler;
    return handler;
}

} // namespace

/// In the precision of the pass; what comes out is in the weights' own.
std::optional<std::vector<Value>> GatedRecurrence::fusedIn(const PassContext& context, const at::Tensor& x,
                                                           const Value& state) const
{
    const auto type = m_directions.front().weightHh.scalar_type();
    Sequence sequence{factor(context, x), {}, {}, m_layers, m_ways == 2};
    for (const at::Tensor& part : state)
        sequence.state.push_back(factor(context, part).unflatten(1, {-1, m_units}).transpose(0, 1).contiguous());
    for (const Direction& direction : m_directions) {
        const Direction whole = withBiases(direction);
        for (const at::Tensor& weight : {whole.weightIh, whole.weightHh, whole.biasIh, whole.biasHh})
            sequence.weights.push_back(factor(context, weight));
    }
    const c10::WarningUtils::WarningHandlerGuard quiet(&withoutCompaction());
    auto made = fused(sequence);
    if (!made)
        return std::nullopt;
    for (at::Tensor& part : made->state)
        part = part.transpose(0, 1).flatten(1).to(type);
    return std::vector<Value>{{made->y.to(type)}, made->state};
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

at::Tensor sideBySide(const std::vector<at::Tensor>& parts)
{
    return parts.size() == 1 ? parts.front() : at::cat(parts, -1);
}

} // namespace

Value GatedRecurrence::stateAt(const Value& state, std::size_t place) const
{
    Value found;
    for (const at::Tensor& part : state)
        found.push_back(part.narrow(1, static_cast<std::int64_t>(place) * m_units, m_units));
    return found;
}

std::vector<Value> GatedRecurrence::stepwise(const PassContext& context, const at::Tensor& x, const Value& state,
                                             const at::Tensor& mask, StepSignals signals) const
{
    at::Tensor y = x;
    std::vector<std::vector<at::Tensor>> last(state.size());
    for (std::size_t layer = 0; layer < m_directions.size(); layer += m_ways) {
        std::vector<at::Tensor> sides;
        for (std::size_t way = 0; way < m_ways; ++way) {
            Walk walked = walk(context, y, stateAt(state, layer + way), mask, layer + way, signals);
            sides.push_back(walked.y);
            for (std::size_t i = 0; i < last.size(); ++i)
                last[i].push_back(walked.state[i]);
        }
        y = sideBySide(sides);
    }
    signals.show();
    if (!m_masked.isZero())
        y = m_masked.of(y, mask, static_cast<std::int64_t>(m_ways));
    Value joined;
    for (const auto& parts : last)
        joined.push_back(sideBySide(parts));
    return {{y}, joined};
}

/// The input's product is one product for all steps.
GatedRecurrence::Walk GatedRecurrence::walk(const PassContext& context, const at::Tensor& x, Value state,
                                            const at::Tensor& mask, std::size_t place, StepSignals& signals) const
{
    const Direction direction = withBiases(m_directions[place]);
    const Steps steps{product(context, x, direction.weightIh, hoistedBias(direction)), std::move(state), mask,
                      place % m_ways == 1, signals.any()};
    return takesKernel(x) && !isEdited(context) ? walkAtOnce(steps, direction, signals)
                                                : walkSteps(context, steps, place, signals);
}

GatedRecurrence::Walk GatedRecurrence::walkAtOnce(const Steps& steps, const Direction& direction,
                                                  StepSignals& signals) const
{
    const Walked walked = walkByKernel(steps, direction);
    if (signals.any())
        signals.addWalk(signalValues(walked.states, walked.shown));
    const at::Tensor& h = walked.states.front();
    const bool zeroes = steps.mask.defined() && m_masked.isZero();
    return {zeroes ? at::where(steps.mask.unsqueeze(-1), h, 0) : h, walked.last};
}

// Steps are taken apart and put together once: indexing in the loop would add up an array of full size a step in the
// backward pass.
GatedRecurrence::Walk GatedRecurrence::walkSteps(const PassContext& context, const Steps& steps, std::size_t place,
                                                 StepSignals& signals) const
{
    Value state = steps.state;
    const Direction direction = withBiases(m_directions[place]);
    const auto unit = static_cast<std::int64_t>(place) * m_units, width = std::ssize(m_directions) * m_units;
    const auto inputs = steps.inputs.unbind(0);
    const at::Tensor& mask = steps.mask;
    const auto real = mask.defined() ? mask.unsqueeze(-1).unbind(0) : std::vector<at::Tensor>();
    std::vector<at::Tensor> outputs(inputs.size());
    for (std::size_t s = 0; s < inputs.size(); ++s) {
        const std::size_t t = steps.back ? inputs.size() - 1 - s : s;
        const Edits edited(context, {context.step + static_cast<std::int64_t>(t), unit, width});
        Step next = step(inputs[t], state, direction, edited);
        if (mask.defined())
            holdWhereMasked(next.state, state, real[t]);
        state = std::move(next.state);
        outputs[t] = mask.defined() && m_masked.isZero() ? at::where(real[t], state.front(), 0) : state.front();
        if (steps.watched)
            signals.add(signalValues(state, next.shown));
    }
    signals.endWalk(steps.back);
    return {at::stack(outputs), std::move(state)};
}

} // namespace unroll::nodes
