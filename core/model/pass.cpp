// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/pass.h"

#include "core/model/begun_state.h"
#include "core/model/ended_sequences.h"
#include "core/model/loss_only.h"
#include "core/model/step_editor.h"

#include <ATen/ops/cat.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace unroll {

namespace {

Value stateFor(const PlanStep& step, const States& states)
{
    auto carried = states.find(step.node);
    return carried == states.end() ? Value{} : carried->second;
}

std::vector<Value> gather(const Pass& pass, const PlanStep& step)
{
    std::vector<Value> inputs(step.inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (i == step.stateInput && step.beginsAtWeights)
            inputs[i] = movedFrom(wiredState(step, pass.slots[step.inputs[i]]), stateFor(step, pass.carried));
        else if (i == step.stateInput && (step.inputs[i] == kNoSlot || pass.begun))
            inputs[i] = stateFor(step, pass.carried);
        else if (step.inputs[i] != kNoSlot)
            inputs[i] =
                i == step.stateInput ? wiredState(step, pass.slots[step.inputs[i]]) : pass.slots[step.inputs[i]];
    }
    return inputs;
}

void showCrossing(const PlanStep& step, const std::vector<Value>& outputs, Observer& observer)
{
    for (std::size_t i = 0; i < outputs.size(); ++i)
        for (const at::Tensor& tensor : outputs[i])
            if (tensor.defined())
                observer.onOutput(step.node, step.spec->outputs[i].name, tensor);
}

/// [T, B] or [T, B, width] of which a sequence has one scored entry at most, as one step: [1, B] or [1, B, width].
at::Tensor onlyTargets(const at::Tensor& targets)
{
    if (!targets.is_floating_point())
        return targets.amax(0, true); // what is not scored is below every class
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    const at::Tensor most = targets.masked_fill(targets.isnan(), kNone).amax(0, true);
    return most.masked_fill(most.eq(kNone), std::numeric_limits<double>::quiet_NaN());
}

/// What a block that works on sequences is given where there is one vector a sequence: sequences of one step.
void takeAsSteps(const BlockSpec& spec, std::vector<Value>& inputs)
{
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (at::Tensor& tensor : inputs[i]) {
            const PortType type = spec.inputs[i].type;
            if (spec.inputs[i].orVector)
                tensor = tensor.unsqueeze(0);
            else if (type == PortType::Targets || type == PortType::TargetValues)
                tensor = onlyTargets(tensor);
        }
}

void giveAsVectors(const BlockSpec& spec, std::vector<Value>& outputs)
{
    for (std::size_t i = 0; i < outputs.size(); ++i)
        for (at::Tensor& tensor : outputs[i])
            if (spec.outputs[i].orVector)
                tensor = tensor.squeeze(0);
}

std::vector<Value> outputsOf(Pass& pass, const PlanStep& step, std::vector<Value> inputs)
{
    pass.running = step.node;
    pass.context.node = step.node;
    pass.context.keepsState = pass.keepsState || step.stateIsRead;
    if (pass.context.observer != nullptr)
        pass.context.observer->entering(step.node, *step.spec, inputs);
    if (step.onVectors)
        takeAsSteps(*step.spec, inputs);
    const LossOnly asked(LossOnly::isAsked() && !step.predictionIsRead);
    std::vector<Value> outputs = step.block->forward(inputs, pass.context);
    assert(outputs.size() == step.outputs.size());
    if (step.onVectors)
        giveAsVectors(*step.spec, outputs);
    if (pass.context.editor != nullptr)
        for (std::size_t i = 0; i < outputs.size(); ++i)
            pass.context.editor->leaving(step.node, step.spec->outputs[i], outputs[i], pass.context.step);
    if (pass.context.observer != nullptr)
        showCrossing(step, outputs, *pass.context.observer);
    return outputs;
}

void fill(Pass& pass, const PlanStep& step, std::vector<Value> outputs)
{
    for (std::size_t i = 0; i < outputs.size(); ++i)
        pass.slots[step.outputs[i]] = std::move(outputs[i]);
}

/// Gathers what is shown at each step of a loop. What crosses wires goes on at once: there the order is what counts.
class StepObserver final : public Observer {
public:
    explicit StepObserver(Observer& whole) : m_whole(whole) {}

    bool wants(const std::string& node, const std::string& signal) const override
    {
        return m_whole.wants(node, signal);
    }
    void show(const std::string& node, const std::string& signal, const at::Tensor& value) override
    {
        auto shown = std::find_if(m_shown.begin(), m_shown.end(),
                                  [&](const Shown& each) { return each.node == node && each.signal == signal; });
        if (shown == m_shown.end())
            shown = m_shown.insert(m_shown.end(), {node, signal, {}});
        shown->steps.push_back(value.detach());
    }
    void entering(const std::string& node, const BlockSpec& spec, std::vector<Value>& inputs) override
    {
        m_whole.entering(node, spec, inputs);
    }
    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override
    {
        m_whole.onOutput(node, port, value);
    }

    /// A signal whose width grows from step to step, as weights over earlier steps do, is not a matrix of all steps: it
    /// is left out.
    void showAll()
    {
        for (const Shown& shown : m_shown) {
            const auto sameWidth = [&](const at::Tensor& step) { return step.sizes() == shown.steps.front().sizes(); };
            if (std::all_of(shown.steps.begin(), shown.steps.end(), sameWidth))
                m_whole.show(shown.node, shown.signal, at::cat(shown.steps));
        }
    }

private:
    struct Shown {
        std::string node, signal;
        std::vector<at::Tensor> steps;
    };

    Observer& m_whole;
    std::vector<Shown> m_shown; ///< in the order of the first step
};

/// One run of a loop. While it lasts, slots of what comes in hold one step of it.
class LoopRun {
public:
    LoopRun(Pass& pass, const PlanLoop& loop)
        : m_whole(pass), m_loop(loop), m_slots(pass.slots.size()), m_left(loop.leaving.size())
    {
        for (const LoopPort& port : loop.entering) {
            const Value& value = pass.slots[port.slot];
            if (!port.perStep || value.empty())
                m_slots[port.slot] = value;
            else
                m_entering.emplace_back(port.slot, value.front().split(1, 0));
        }
        for (std::size_t i = loop.first; i < loop.last; ++i)
            begin(pass.plan.steps[i]);
    }

    void run(Observer* observer)
    {
        const std::size_t steps = m_entering.empty() ? 0 : m_entering.front().second.size();
        for (std::size_t t = 0; t < steps; ++t) {
            for (const auto& [slot, pieces] : m_entering)
                m_slots[slot] = {pieces[t]};
            runOnce(observer, static_cast<std::int64_t>(t));
            for (std::size_t i = 0; i < m_left.size(); ++i)
                if (m_loop.leaving[i].perStep)
                    m_left[i].push_back(m_slots[m_loop.leaving[i].slot].front());
        }
        finish();
    }

private:
    /// A delay gives its state before it reads anything, so it has one from the beginning.
    void begin(const PlanStep& step)
    {
        if (step.stateInput == kNoSlot)
            return;
        Value state = stateFor(step, m_whole.carried);
        if (step.delayedInput != kNoSlot && state.empty() && step.inputs[step.stateInput] == kNoSlot) {
            const at::Tensor& like = m_entering.front().second.front();
            for (at::Tensor& zeros : state = step.block->initialState(like.size(1)))
                zeros = zeros.to(like.device());
        }
        if (!state.empty())
            m_states[step.node] = std::move(state);
    }

    void runOnce(Observer* observer, std::int64_t t)
    {
        Pass pass{m_whole.plan, m_slots, m_states, m_whole.context, true, m_whole.running, m_states, t > 0};
        pass.context.observer = observer;
        pass.context.step += t;
        for (std::size_t i = m_loop.first; i < m_loop.last; ++i) {
            const PlanStep& step = m_whole.plan.steps[i];
            if (step.delayedInput == kNoSlot)
                runStep(pass, step);
            else
                giveDelayed(pass, step);
        }
        pass.context.observer = nullptr; // what a delay shows, it has shown when it gave it
        for (std::size_t i = m_loop.first; i < m_loop.last; ++i)
            if (const PlanStep& step = m_whole.plan.steps[i]; step.delayedInput != kNoSlot)
                takeDelayed(pass, step);
    }

    static void giveDelayed(Pass& pass, const PlanStep& step)
    {
        std::vector<Value> inputs = gather(pass, step);
        inputs[step.delayedInput].clear();
        fill(pass, step, outputsOf(pass, step, std::move(inputs)));
    }

    static void takeDelayed(Pass& pass, const PlanStep& step)
    {
        Value state = outputsOf(pass, step, gather(pass, step))[step.stateOutput];
        pass.slots[step.outputs[step.stateOutput]] = state;
        pass.states[step.node] = toCarry(step, pass.slots, state);
    }

    void finish()
    {
        for (std::size_t i = 0; i < m_left.size(); ++i) {
            const auto [slot, perStep] = m_loop.leaving[i];
            m_whole.slots[slot] = perStep ? Value{at::cat(m_left[i])} : m_slots[slot];
        }
        if (!m_whole.keepsState)
            return;
        for (auto& [node, state] : m_states)
            m_whole.states[node] = std::move(state);
    }

    Pass& m_whole;
    const PlanLoop& m_loop;
    std::vector<Value> m_slots;
    std::vector<std::pair<Slot, std::vector<at::Tensor>>> m_entering; ///< one piece a step
    std::vector<std::vector<at::Tensor>> m_left;                      ///< as m_loop.leaving, one piece a step
    States m_states;
};

/// Steps of time that the node is given; 1 where none of its inputs has any.
std::int64_t lengthOf(const PlanStep& step, const std::vector<Value>& inputs)
{
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].empty() && comesPerStep(step, step.spec->inputs[i]))
            return inputs[i].front().size(0);
    return 1;
}

/// One node, one step of time after the other, each from the state of the one before.
class SteppedNode {
public:
    SteppedNode(Pass& pass, const PlanStep& step) : m_pass(pass), m_step(step), m_told(step.outputs.size()) {}

    std::vector<Value> outputs(Observer* observer)
    {
        std::vector<Value> inputs = gather(m_pass, m_step);
        const std::int64_t first = m_pass.context.step, steps = lengthOf(m_step, inputs);
        const bool kept = std::exchange(m_pass.keepsState, true);
        Observer* const watching = std::exchange(m_pass.context.observer, observer);
        std::vector<Value> last;
        for (std::int64_t t = 0; t < steps; ++t) {
            m_pass.context.step = first + t;
            std::vector<Value> piece = pieceOf(inputs, t);
            if (t > 0 && m_step.stateInput != kNoSlot)
                piece[m_step.stateInput] = last[m_step.stateOutput];
            last = oneStep(std::move(piece));
            for (std::size_t i = 0; i < last.size(); ++i)
                if (comesPerStep(m_step, m_step.spec->outputs[i]) && !last[i].empty())
                    m_told[i].push_back(last[i].front());
        }
        m_pass.context.step = first;
        m_pass.context.observer = watching;
        m_pass.keepsState = kept;
        for (std::size_t i = 0; i < last.size(); ++i)
            if (!m_told[i].empty())
                last[i] = {at::cat(m_told[i])};
        return last;
    }

private:
    /// A recurrent block whose signals are changed takes no mask.
    std::vector<Value> oneStep(std::vector<Value> piece)
    {
        const auto& ports = m_step.spec->inputs;
        const auto mask =
            std::find_if(ports.begin(), ports.end(), [](const PortSpec& port) { return port.type == PortType::Mask; });
        if (mask == ports.end() || m_step.stateInput == kNoSlot || m_step.stateOutput == kNoSlot)
            return outputsOf(m_pass, m_step, std::move(piece));
        const Value masked = std::exchange(piece[static_cast<std::size_t>(mask - ports.begin())], {});
        const Value before = piece[m_step.stateInput];
        std::vector<Value> made = outputsOf(m_pass, m_step, piece);
        if (!masked.empty() && !masked.front().all().item<bool>())
            keepEnded(made, before, masked, std::move(piece));
        return made;
    }

    /// Of sequences that are over: their state stays, and their outputs are those of masked steps.
    void keepEnded(std::vector<Value>& made, const Value& before, const Value& mask, std::vector<Value> piece) const
    {
        const EndedSequences ended(m_step, mask.front()[0]);
        ended.keepState(made, before);
        std::vector<Value> shown;
        if (m_step.maskedRule == MaskedRule::Hold)
            for (const auto& pieces : m_told)
                shown.push_back(pieces.empty() ? Value{} : Value{pieces.back()});
        if (m_step.maskedRule == MaskedRule::Read) {
            const auto& ports = m_step.spec->inputs;
            for (std::size_t i = 0; i < ports.size(); ++i)
                if (ports[i].type == PortType::Mask)
                    piece[i] = mask;
            PassContext plain = m_pass.context;
            plain.observer = nullptr;
            plain.editor = nullptr;
            shown = m_step.block->forward(piece, plain);
        }
        ended.showOutputs(made, shown);
    }

    std::vector<Value> pieceOf(const std::vector<Value>& inputs, std::int64_t t) const
    {
        std::vector<Value> piece = inputs;
        for (std::size_t i = 0; i < piece.size(); ++i)
            if (!piece[i].empty() && comesPerStep(m_step, m_step.spec->inputs[i]))
                piece[i] = {piece[i].front().narrow(0, t, 1)};
        return piece;
    }

    Pass& m_pass;
    const PlanStep& m_step;
    std::vector<std::vector<at::Tensor>> m_told; ///< of each output, one piece a step
};

std::vector<Value> steppedOutputs(Pass& pass, const PlanStep& step)
{
    if (pass.context.observer == nullptr)
        return SteppedNode(pass, step).outputs(nullptr);
    StepObserver observer(*pass.context.observer);
    std::vector<Value> outputs = SteppedNode(pass, step).outputs(&observer);
    observer.showAll();
    return outputs;
}

/// An editor that changes what one step hands to the next.
bool isStepped(const Pass& pass, const PlanStep& step)
{
    const auto* const editor = dynamic_cast<const StepEditor*>(pass.context.editor);
    return editor != nullptr && editor->stepsThrough(step.node);
}

} // namespace

void runStep(Pass& pass, const PlanStep& step)
{
    std::vector<Value> outputs =
        isStepped(pass, step) ? steppedOutputs(pass, step) : outputsOf(pass, step, gather(pass, step));
    if (pass.keepsState && step.stateOutput != kNoSlot)
        pass.states[step.node] = toCarry(step, pass.slots, outputs[step.stateOutput]);
    fill(pass, step, std::move(outputs));
}

void runLoop(Pass& pass, const PlanLoop& loop)
{
    if (pass.context.observer == nullptr)
        return LoopRun(pass, loop).run(nullptr);
    StepObserver observer(*pass.context.observer);
    LoopRun(pass, loop).run(&observer);
    observer.showAll();
}

} // namespace unroll
