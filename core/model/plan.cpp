// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/plan.h"

#include "core/model/index_meaning.h"
#include "core/model/plan_reversible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <set>

namespace unroll {

namespace {

/// Slots by port name: what enters or leaves a (sub-)graph.
using PortSlots = std::map<std::string, Slot>;

/// Where a (sub-)graph stands: `node` names states and signals, `weights` the weights. They differ in copies that share
/// weights.
struct Path {
    std::string node;
    std::string weights;

    Path below(const std::string& name) const { return {node + name, weights + name}; }
};

/// What a (sub-)graph has become.
struct Laid {
    std::map<PortRef, Slot> filled; ///< what enters, and what its nodes give
    std::map<NodeId, std::size_t> firstStep;
};

class Flattener {
public:
    Flattener(Plan& plan, PlanSetup& setup) : m_plan(plan), m_setup(setup) {}

    /// Lays the graph's nodes out in the checked order. `promoted` are slots that enter at inner ports.
    Result<Laid> layOut(const Graph& graph, const CheckedGraph& checked, const std::map<PortRef, Slot>& promoted,
                        const Path& path);

private:
    Result<void> layNode(const Graph& graph, const CheckedNode& node, const Path& path,
                         std::map<PortRef, Slot>& filled);
    Result<PortSlots> layGroup(const Node& node, const CheckedNode& checked, PortSlots inputs, const Path& path);
    Result<void> layBlock(const Node& node, const CheckedNode& checked, const PortSlots& inputs, const Path& path,
                          std::map<PortRef, Slot>& filled);
    Result<std::shared_ptr<Block>> blockFor(const CheckedNode& checked, const std::string& weightsPath);
    void closeLoop(const Graph& graph, const CheckedGraph& checked, const std::vector<NodeId>& loop,
                   const std::map<PortRef, Slot>& filled, const std::map<NodeId, std::size_t>& firstStep);
    void laySource(const Node& node, const CheckedNode& checked, std::map<PortRef, Slot>& filled);
    Slot newSlot(const CheckedNode& checked, const std::string& port)
    {
        const auto shape = checked.outputs.find(port);
        m_plan.widths.push_back(shape == checked.outputs.end() ? 0 : shape->second.size());
        return m_plan.slots++;
    }

    Plan& m_plan;
    PlanSetup& m_setup;
    std::map<std::string, std::shared_ptr<Block>> m_built; ///< by weights path
};

/// What feeds an input: what the group around it brings in, or its wire; kNoSlot where it is free, or where what comes
/// round a loop is not made yet.
Slot slotInto(const Graph& graph, const PortRef& input, const std::map<PortRef, Slot>& filled)
{
    if (auto entering = filled.find(input); entering != filled.end())
        return entering->second;
    const Wire* wire = graph.wireInto(input);
    const auto made = wire == nullptr ? filled.end() : filled.find(wire->from);
    return made == filled.end() ? kNoSlot : made->second;
}

/// By the node's own ports, looked up one by one, so that the work grows with the graph and no faster. A node is asked
/// before its outputs are filled: they may bear the names of inputs.
PortSlots inputsOf(const Graph& graph, const Node& node, const BlockSpec& spec, const std::map<PortRef, Slot>& filled)
{
    PortSlots inputs;
    const auto look = [&](const std::string& port) {
        if (const Slot slot = slotInto(graph, {node.id, port}, filled); slot != kNoSlot)
            inputs[port] = slot;
    };
    if (node.group)
        for (const PromotedPort& port : node.group->inputs)
            look(port.name);
    else
        for (const PortSpec& port : spec.inputs)
            look(port.name);
    return inputs;
}

Result<Laid> Flattener::layOut(const Graph& graph, const CheckedGraph& checked, const std::map<PortRef, Slot>& promoted,
                               const Path& path)
{
    Laid laid{promoted, {}};
    for (NodeId id : checked.order) {
        laid.firstStep[id] = m_plan.steps.size();
        if (auto node = layNode(graph, checked.nodes.at(id), path, laid.filled); !node)
            return tl::unexpected(node.error());
    }
    for (const std::vector<NodeId>& loop : checked.loops)
        closeLoop(graph, checked, loop, laid.filled, laid.firstStep);
    return laid;
}

/// Tells the delays of the loop what comes round to them. A block is one step, so the step after the last node is that
/// of the node behind it.
void Flattener::closeLoop(const Graph& graph, const CheckedGraph& checked, const std::vector<NodeId>& loop,
                          const std::map<PortRef, Slot>& filled, const std::map<NodeId, std::size_t>& firstStep)
{
    for (NodeId id : loop) {
        const Node& node = *graph.find(id);
        const auto& ports = checked.nodes.at(id).spec->inputs;
        for (std::size_t i = 0; i < ports.size() && !node.group; ++i) {
            PlanStep& step = m_plan.steps[firstStep.at(id)];
            if (!ports[i].delayed)
                continue;
            step.delayedInput = i;
            step.inputs[i] = slotInto(graph, {id, ports[i].name}, filled);
        }
    }
    const auto behind = std::find(checked.order.begin(), checked.order.end(), loop.back()) + 1;
    const std::size_t last = behind == checked.order.end() ? m_plan.steps.size() : firstStep.at(*behind);
    m_plan.loops.push_back({firstStep.at(loop.front()), last, {}, {}});
}

Result<void> Flattener::layNode(const Graph& graph, const CheckedNode& checked, const Path& path,
                                std::map<PortRef, Slot>& filled)
{
    const Node& node = *graph.find(checked.id);
    PortSlots inputs = inputsOf(graph, node, *checked.spec, filled);
    if (node.group) {
        auto outputs = layGroup(node, checked, std::move(inputs), path);
        if (!outputs)
            return tl::unexpected(outputs.error());
        for (const auto& [port, slot] : *outputs)
            filled[{node.id, port}] = slot;
        return {};
    }
    if (checked.spec->category == Category::Data) {
        laySource(node, checked, filled);
        return {};
    }
    return layBlock(node, checked, inputs, path.below(node.name), filled);
}

Result<PortSlots> Flattener::layGroup(const Node& node, const CheckedNode& checked, PortSlots inputs, const Path& path)
{
    const Group& group = *node.group;
    PortSlots outputs;
    PlanReversible reversible{m_plan.steps.size(), 0, {}, {}};
    for (std::size_t i = group.outputs.size(); i < group.inputs.size(); ++i)
        if (auto found = inputs.find(group.inputs[i].name); found != inputs.end())
            reversible.entering.push_back(found->second);
    for (std::int64_t copy = 1; copy <= group.repeat; ++copy) {
        const std::string index = group.repeat > 1 ? fmt::format(".{}.", copy) : ".";
        const Path inner{path.node + node.name + index, path.weights + node.name + (group.sharedWeights ? "." : index)};
        std::map<PortRef, Slot> promoted;
        for (const PromotedPort& port : group.inputs)
            if (auto found = inputs.find(port.name); found != inputs.end())
                promoted[port.inner] = found->second;
        auto laid = layOut(*group.graph, checked.inCopy(copy), promoted, inner);
        if (!laid)
            return tl::unexpected(laid.error());
        if (checked.reversible)
            reversible.copies.push_back(
                layReversible(m_plan, *checked.reversible, checked.inCopy(copy).order, laid->firstStep));
        for (std::size_t i = 0; i < group.outputs.size(); ++i) {
            const Slot slot = laid->filled.at(group.outputs[i].inner);
            outputs[group.outputs[i].name] = slot;
            if (i < group.inputs.size())
                inputs[group.inputs[i].name] = slot; // the next copy goes on from here
        }
    }
    reversible.last = m_plan.steps.size();
    if (checked.reversible)
        m_plan.reversibles.push_back(std::move(reversible));
    return outputs;
}

Result<std::shared_ptr<Block>> Flattener::blockFor(const CheckedNode& checked, const std::string& weightsPath)
{
    if (auto built = m_built.find(weightsPath); built != m_built.end())
        return built->second;
    MakeBlock make = m_setup.builders.block(checked.spec->id);
    if (make == nullptr)
        return fail(fmt::format("the block {} cannot be computed in this version", checked.spec->id), weightsPath);
    m_setup.building = weightsPath;
    std::shared_ptr<Block> block = make({*checked.spec, checked.params, checked.inputs, m_setup.init, m_setup.dtype});
    m_plan.firstWeight[block.get()] = m_plan.weights.size();
    for (const Weight& weight : block->weights()) {
        m_plan.weights.push_back(weight);
        m_plan.weights.back().name = weightsPath + "." + weight.name;
    }
    m_built[weightsPath] = block;
    return block;
}

Result<void> Flattener::layBlock(const Node& node, const CheckedNode& checked, const PortSlots& inputs,
                                 const Path& path, std::map<PortRef, Slot>& filled)
{
    auto block = blockFor(checked, path.weights);
    if (!block)
        return tl::unexpected(block.error());
    PlanStep step{path.node, checked.spec, *block, {}, {}};
    step.onVectors = checked.onVectors;
    for (const SignalSpec& signal : checked.spec->signalSpecs)
        step.looks.push_back(signal.lookOf(checked.params));
    step.maskedRule = maskedRule(checked.params);
    for (const PortSpec& port : checked.spec->inputs) {
        auto found = inputs.find(port.name);
        step.inputs.push_back(found == inputs.end() ? kNoSlot : found->second);
    }
    for (const PortSpec& port : checked.spec->outputs) {
        step.outputs.push_back(newSlot(checked, port.name));
        filled[{node.id, port.name}] = step.outputs.back();
        if (port.type == PortType::Loss)
            m_plan.loss = step.outputs.back();
    }
    if (const PortSpec* prediction = checked.spec->prediction())
        m_plan.prediction = filled.at({node.id, prediction->name});
    if (checked.spec->recurrent) {
        step.stateInput = inputIndex(*checked.spec, "state");
        step.stateOutput = outputIndex(*checked.spec, "state");
        if (checked.stateFromVector)
            step.stateParts = checked.inputs.at("state").parts;
        step.beginsAtWeights = checked.stateFromWeights;
        m_plan.recurrentNodes.push_back(path.node);
    }
    m_plan.steps.push_back(std::move(step));
    return {};
}

void Flattener::laySource(const Node& node, const CheckedNode& checked, std::map<PortRef, Slot>& filled)
{
    m_plan.source = node.name;
    for (const PortSpec& port : checked.spec->outputs) {
        const Slot slot = newSlot(checked, port.name);
        m_plan.sourceSlots[port.name] = slot;
        filled[{node.id, port.name}] = slot;
        const auto shape = checked.outputs.find(port.name);
        if (shape == checked.outputs.end() || port.type == PortType::Mask)
            continue;
        const bool asked = port.type == PortType::Targets || port.type == PortType::TargetValues;
        m_plan.sourceMeaning.push_back(
            {slot, {asked ? IndexRun::Of::Asked : IndexRun::Of::Read, 0, shape->second.size()}});
    }
}

/// Of states and predictions.
void noteWhatIsRead(Plan& plan)
{
    std::set<Slot> read;
    for (const PlanStep& step : plan.steps)
        read.insert(step.inputs.begin(), step.inputs.end());
    for (PlanStep& step : plan.steps) {
        step.stateIsRead = step.stateOutput != kNoSlot && read.contains(step.outputs[step.stateOutput]);
        if (const PortSpec* prediction = step.spec->prediction())
            step.predictionIsRead = read.contains(step.outputs[outputIndex(*step.spec, prediction->name)]);
    }
}

/// Loops of a group that stands in a loop run with it.
void dropInnerLoops(Plan& plan)
{
    std::vector<PlanLoop> outer;
    for (const PlanLoop& loop : plan.loops)
        if (std::none_of(plan.loops.begin(), plan.loops.end(), [&](const PlanLoop& other) {
                return other.first <= loop.first && loop.last <= other.last &&
                       other.last - other.first > loop.last - loop.first;
            }))
            outer.push_back(loop);
    std::sort(outer.begin(), outer.end(), [](const PlanLoop& a, const PlanLoop& b) { return a.first < b.first; });
    plan.loops = std::move(outer);
}

void addLoopPort(std::vector<LoopPort>& ports, Slot slot, bool perStep)
{
    const auto same = [&](const LoopPort& port) { return port.slot == slot; };
    if (std::none_of(ports.begin(), ports.end(), same))
        ports.push_back({slot, perStep});
}

void findLoopPorts(const Plan& plan, PlanLoop& loop)
{
    std::map<Slot, bool> made; // and whether for every step
    for (std::size_t i = loop.first; i < loop.last; ++i)
        for (std::size_t k = 0; k < plan.steps[i].outputs.size(); ++k)
            made[plan.steps[i].outputs[k]] = comesPerStep(plan.steps[i], plan.steps[i].spec->outputs[k]);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const PlanStep& step = plan.steps[i];
        const bool within = loop.first <= i && i < loop.last;
        for (std::size_t k = 0; k < step.inputs.size(); ++k) {
            const auto own = made.find(step.inputs[k]);
            if (within && own == made.end() && step.inputs[k] != kNoSlot)
                addLoopPort(loop.entering, step.inputs[k], comesPerStep(step, step.spec->inputs[k]));
            if (!within && own != made.end())
                addLoopPort(loop.leaving, own->first, own->second);
        }
    }
}

} // namespace

Result<Plan> makePlan(const Graph& graph, const CheckedGraph& checked, PlanSetup& setup)
{
    Plan plan;
    if (auto laid = Flattener(plan, setup).layOut(graph, checked, {}, {}); !laid)
        return tl::unexpected(laid.error());
    noteWhatIsRead(plan);
    dropInnerLoops(plan);
    sortReversibles(plan);
    for (PlanLoop& loop : plan.loops)
        findLoopPorts(plan, loop);
    findMeanings(plan);
    return plan;
}

} // namespace unroll
