// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/pass.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace unroll {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::size_t kStreams = 2; ///< x1 and x2, y1 and y2: the first of the lists of tensors
constexpr std::size_t kUndefined = static_cast<std::size_t>(-1);

/// A Value in a flat list of tensors: the place of each of its tensors, kUndefined of those that are not there.
using Places = std::vector<std::size_t>;

Places append(const Value& value, variable_list& list)
{
    Places places;
    for (const at::Tensor& tensor : value) {
        places.push_back(tensor.defined() ? list.size() : kUndefined);
        if (tensor.defined())
            list.push_back(tensor);
    }
    return places;
}

/// What a backward pass must know of the forward pass besides tensors that autograd keeps.
struct Tape : torch::CustomClassHolder {
    Tape(const Pass& pass, const PlanReversible& all)
        : owner(pass.owner), plan(pass.plan), group(all), running(pass.running), context(pass.context)
    {
        context.observer = nullptr; // it has seen the forward pass
        if (context.training && context.dropout != nullptr)
            random = context.dropout->clone();
        context.dropout = nullptr; // the backward pass has one of its own
    }

    std::shared_ptr<const void> owner;
    const Plan& plan;
    const PlanReversible& group;
    std::string& running;
    PassContext context;
    at::Generator random;                                 ///< undefined: nothing is drawn
    std::vector<std::array<at::Tensor, 2>> drawn;         ///< its states before F and G, by copy
    std::vector<std::pair<Slot, Places>> entering;        ///< among the inputs
    std::map<std::string, Places> begun;                  ///< likewise, states by node
    std::map<const at::TensorImpl*, std::size_t> weights; ///< likewise
    std::map<std::string, Places> ended;                  ///< states among the outputs
};

/// x1, x2, what else enters, states that recurrent nodes begin with, weights.
variable_list inputsOf(const Pass& pass, Tape& tape)
{
    const ReversibleCopy& first = tape.group.copies.front();
    variable_list inputs{pass.slots[first.f.before].front(), pass.slots[first.g.before].front()};
    for (const Slot slot : tape.group.entering)
        tape.entering.emplace_back(slot, append(pass.slots[slot], inputs));
    for (std::size_t i = tape.group.first; i < tape.group.last; ++i) {
        const PlanStep& step = pass.plan.steps[i];
        if (const auto state = pass.carried.find(step.node); state != pass.carried.end())
            tape.begun[step.node] = append(state->second, inputs);
        for (const Weight& weight : step.block->weights())
            if (weight.tensor.requires_grad() &&
                tape.weights.try_emplace(weight.tensor.unsafeGetTensorImpl(), inputs.size()).second)
                inputs.push_back(weight.tensor);
    }
    return inputs;
}

void forget(std::vector<Value>& slots, const Plan& plan, const ReversiblePart& part)
{
    for (std::size_t i = part.first; i < part.last; ++i)
        for (const Slot slot : plan.steps[i].outputs)
            slots[slot].clear();
}

/// Whether the slot of a stream is one of those that every copy reads.
bool enters(const PlanReversible& group, Slot slot)
{
    return std::find(group.entering.begin(), group.entering.end(), slot) != group.entering.end();
}

/// `before` where nothing was drawn since then.
at::Tensor stateOf(const at::Generator& generator, const at::Tensor& before)
{
    at::Tensor now = generator.get_state();
    return before.defined() && before.equal(now) ? before : now;
}

/// All copies, each in the room of the one before. Gives y1 and y2 of the last; what it draws and which states it ends
/// with goes into `tape` and `states`.
variable_list runCopies(Pass& whole, const PlanReversible& group, Tape* tape, States& states)
{
    std::vector<Value> slots(whole.slots.size());
    Pass pass{whole.plan,    slots,  whole.carried, whole.context, whole.keepsState,
              whole.running, states, false,         whole.owner};
    const ReversibleCopy &first = group.copies.front(), &last = group.copies.back();
    for (const Slot slot : group.entering)
        slots[slot] = whole.slots[slot];
    for (const Slot slot : {first.f.before, first.g.before})
        slots[slot] = whole.slots[slot];
    at::Tensor random;
    for (const ReversibleCopy& copy : group.copies) {
        std::array<at::Tensor, 2> drawn;
        for (const ReversiblePart* part : {&copy.f, &copy.g}) {
            if (tape != nullptr && tape->random.defined())
                drawn[part == &copy.f ? 0 : 1] = random = stateOf(*pass.context.dropout, random);
            runSteps(pass, part->first, part->last);
            runStep(pass, pass.plan.steps[part->last]);
            forget(slots, pass.plan, *part);
            if (part->before != part->reads && !enters(group, part->before))
                slots[part->before].clear();
        }
        if (tape != nullptr)
            tape->drawn.push_back(std::move(drawn));
    }
    return {slots[last.f.after].front(), slots[last.g.after].front()};
}

/// Of a piece of a longer tensor a tensor of its own, so that the rest can go; likewise of one that is in the list.
at::Tensor alone(const at::Tensor& tensor, const variable_list& others)
{
    if (!tensor.defined())
        return tensor;
    const bool twice =
        std::any_of(others.begin(), others.end(), [&](const auto& each) { return each.is_same(tensor); });
    return twice || tensor.storage().nbytes() > tensor.nbytes() ? tensor.clone() : tensor;
}

/// The backward pass, from the last copy to the first.
class Backward {
public:
    Backward(Tape& tape, variable_list kept, const variable_list& arrived)
        : m_tape(tape), m_arrived(arrived), m_inputs(std::move(kept)), m_slots(tape.plan.slots)
    {
        m_streams = {m_inputs[0], m_inputs[1]};
        m_gradients.resize(m_inputs.size());
        m_random = tape.random.defined() ? tape.random.clone() : at::Generator();
    }

    variable_list run()
    {
        at::Tensor first = m_arrived[0], second = m_arrived[1]; // gradients of y1 and y2
        for (std::size_t copy = m_tape.group.copies.size(); copy-- > 0;) {
            const ReversibleCopy& each = m_tape.group.copies[copy];
            auto& [y1, y2] = m_streams;
            y2 = y2 - again(each.g, m_tape.drawn[copy][1], y1, second, first);
            y1 = y1 - again(each.f, m_tape.drawn[copy][0], y2, first, second);
        }
        m_tape.running.clear();
        m_gradients[0] = std::move(first);
        m_gradients[1] = std::move(second);
        return std::move(m_gradients);
    }

private:
    /// What the backward pass of one part hands on to.
    struct Leaves {
        variable_list tensors;
        Places places; ///< among the inputs; 0: the stream that the part reads

        at::Tensor add(const at::Tensor& tensor, std::size_t place)
        {
            tensors.push_back(tensor);
            places.push_back(place);
            return tensor;
        }
    };

    /// The value of F or G for the stream that it reads, without a tape. `arrived` is the gradient of that value; what
    /// it comes to in the stream is added to `into`, and in all else to the gradients that are handed on.
    at::Tensor again(const ReversiblePart& part, const at::Tensor& drawn, const at::Tensor& stream,
                     const at::Tensor& arrived, at::Tensor& into)
    {
        const at::AutoGradMode gradients(true);
        Leaves leaves;
        for (const auto& [slot, places] : m_tape.entering)
            m_slots[slot] = leafOf(places, leaves);
        m_slots[part.reads] = {leaves.add(stream.detach().requires_grad_(true), 0)};
        States begun, ended;
        runPart(part, drawn, leaves, begun, ended);
        const at::Tensor value = m_slots[part.added].front();
        sendBack(part, value, arrived, ended, leaves, into);
        forget(m_slots, m_tape.plan, part);
        m_slots[part.reads].clear();
        return value.detach();
    }

    Value leafOf(const Places& places, Leaves& leaves) const
    {
        Value value;
        for (const std::size_t place : places) {
            value.push_back(place == kUndefined ? at::Tensor() : saved(place).detach());
            if (place != kUndefined && saved(place).requires_grad())
                leaves.add(value.back().requires_grad_(true), place);
        }
        return value;
    }

    void runPart(const ReversiblePart& part, const at::Tensor& drawn, Leaves& leaves, States& begun, States& ended)
    {
        bool endsMatter = false;
        std::set<std::size_t> taken; // a block may stand at several steps
        for (std::size_t i = part.first; i < part.last; ++i) {
            const PlanStep& step = m_tape.plan.steps[i];
            if (const auto state = m_tape.begun.find(step.node); state != m_tape.begun.end())
                begun[step.node] = leafOf(state->second, leaves);
            for (const Weight& weight : step.block->weights())
                if (const auto place = m_tape.weights.find(weight.tensor.unsafeGetTensorImpl());
                    place != m_tape.weights.end() && taken.insert(place->second).second)
                    leaves.add(weight.tensor, place->second);
            endsMatter |= hasArrived(step.node);
        }
        Pass pass{m_tape.plan, m_slots, begun, m_tape.context, endsMatter, m_tape.running, ended, false, m_tape.owner};
        if (m_random.defined()) {
            m_random.set_state(drawn);
            pass.context.dropout = &m_random;
        }
        runSteps(pass, part.first, part.last);
    }

    bool hasArrived(const std::string& node) const
    {
        const auto state = m_tape.ended.find(node);
        return state != m_tape.ended.end() &&
               std::any_of(state->second.begin(), state->second.end(),
                           [&](std::size_t place) { return place != kUndefined && m_arrived[place].defined(); });
    }

    void sendBack(const ReversiblePart& part, const at::Tensor& value, const at::Tensor& arrived, const States& ended,
                  const Leaves& leaves, at::Tensor& into)
    {
        variable_list outputs, gradients;
        const auto take = [&](const at::Tensor& output, const at::Tensor& gradient) {
            if (!gradient.defined() || !output.requires_grad())
                return;
            outputs.push_back(output);
            gradients.push_back(gradient);
        };
        take(value, arrived);
        for (std::size_t i = part.first; i < part.last; ++i) {
            const std::string& node = m_tape.plan.steps[i].node;
            const auto state = ended.find(node);
            const auto places = m_tape.ended.find(node);
            for (std::size_t k = 0; state != ended.end() && places != m_tape.ended.end() && k < state->second.size();
                 ++k)
                if (places->second[k] != kUndefined)
                    take(state->second[k], m_arrived[places->second[k]]);
        }
        if (outputs.empty())
            return;
        const variable_list sent = torch::autograd::grad(outputs, leaves.tensors, gradients, /*retain_graph=*/false,
                                                         /*create_graph=*/false, /*allow_unused=*/true);
        for (std::size_t i = 0; i < sent.size(); ++i)
            add(leaves.places[i] == 0 ? into : m_gradients[leaves.places[i]], sent[i]);
    }

    static void add(at::Tensor& sum, const at::Tensor& gradient)
    {
        if (gradient.defined())
            sum = sum.defined() ? sum + gradient : gradient;
    }

    /// An input by its place; the streams are not among what is kept, their places hold y1 and y2.
    const at::Tensor& saved(std::size_t place) const { return m_inputs[place]; }

    Tape& m_tape;
    const variable_list& m_arrived; ///< as the outputs
    variable_list m_inputs;
    std::vector<Value> m_slots;
    std::array<at::Tensor, 2> m_streams; ///< behind the copy that is next
    variable_list m_gradients;           ///< as the inputs
    at::Generator m_random;
};

struct Reversible : torch::autograd::Function<Reversible> {
    /// y1, y2, states after.
    static variable_list forward(AutogradContext* context, Pass* pass, c10::intrusive_ptr<Tape> tape,
                                 at::TensorList inputs)
    {
        States states;
        variable_list outputs = runCopies(*pass, tape->group, tape.get(), states);
        for (auto& [node, state] : states) {
            Places& places = tape->ended[node];
            for (const at::Tensor& tensor : state)
                places.push_back(append({alone(tensor, outputs)}, outputs).front());
        }
        variable_list kept = inputs.vec();
        std::copy_n(outputs.begin(), kStreams, kept.begin());
        context->save_for_backward(std::move(kept));
        context->saved_data["tape"] = c10::IValue::make_capsule(std::move(tape));
        context->set_materialize_grads(false);
        return outputs;
    }

    static variable_list backward(AutogradContext* context, variable_list arrived)
    {
        const auto kept = context->saved_data["tape"].toCapsule();
        Tape& tape = static_cast<Tape&>(*kept);
        TORCH_CHECK(!at::GradMode::is_enabled(), "the gradient of a reversible group has no derivative");
        variable_list gradients = Backward(tape, context->get_saved_variables(), arrived).run();
        gradients.insert(gradients.begin(), 2, at::Tensor()); // of the pass and the tape
        return gradients;
    }
};

} // namespace

void runReversible(Pass& pass, const PlanReversible& group)
{
    const ReversibleCopy& last = group.copies.back();
    const bool tape = at::GradMode::is_enabled();
    const bool follows = pass.context.observer != nullptr && pass.context.observer->followsGradients();
    if (tape && (pass.context.editor != nullptr || follows)) {
        for (const ReversibleCopy& copy : group.copies)
            for (const ReversiblePart* part : {&copy.f, &copy.g}) {
                runSteps(pass, part->first, part->last);
                runStep(pass, pass.plan.steps[part->last]);
            }
        return;
    }
    variable_list outputs;
    if (!tape)
        outputs = runCopies(pass, group, nullptr, pass.states);
    else {
        auto made = c10::make_intrusive<Tape>(pass, group);
        const variable_list inputs = inputsOf(pass, *made);
        outputs = Reversible::apply(&pass, made, at::TensorList(inputs));
        for (const auto& [node, places] : made->ended)
            for (const std::size_t place : places)
                pass.states[node].push_back(place == kUndefined ? at::Tensor() : outputs[place]);
    }
    pass.slots[last.f.after] = {outputs[0]};
    pass.slots[last.g.after] = {outputs[1]};
}

} // namespace unroll
