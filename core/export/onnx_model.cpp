// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/onnx_model.h"

#include "core/export/python_graph.h"
#include "core/export/single_step.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unroll {
namespace {

using OnnxValues = std::map<PortRef, onnx::Value>;
using PortValues = std::map<std::string, onnx::Value>;

/// Where a graph stands: `node` names states and operators, `weights` the weights; they differ in copies that share.
struct OnnxPath {
    std::string node, weights;
};

class OnnxLayout {
public:
    OnnxLayout(onnx::Graph& into, const onnx::StepWriters& writers, std::map<std::string, onnx::WeightData> weights)
        : m_into(into), m_writers(writers), m_weights(std::move(weights))
    {}

    Result<void> model(const Graph& graph, const CheckedGraph& checked);

private:
    Result<OnnxValues> layOut(const Graph& graph, const CheckedGraph& checked, const OnnxValues& promoted,
                              const OnnxPath& path);
    Result<void> layNode(const Graph& graph, const CheckedNode& checked, const OnnxPath& path, OnnxValues& filled);
    Result<PortValues> layGroup(const Node& node, const CheckedNode& checked, PortValues inputs, const OnnxPath& path);
    Result<void> layBlock(const Node& node, const CheckedNode& checked, const PortValues& inputs, const OnnxPath& path,
                          OnnxValues& filled);
    Result<void> closeLoops(const Graph& graph, const CheckedGraph& checked, const OnnxPath& path,
                            const OnnxValues& filled);
    Result<onnx::Step> written(const Node& node, const CheckedNode& checked, const PortValues& inputs,
                               const OnnxPath& path);
    void laySource(const Graph& graph, const CheckedNode& checked, OnnxValues& filled);
    std::vector<onnx::Value> statesOf(const CheckedNode& checked, const std::string& path);
    void carryOn(const CheckedNode& checked, const std::string& path, const onnx::Step& step);

    onnx::Graph& m_into;
    const onnx::StepWriters& m_writers;
    std::map<std::string, onnx::WeightData> m_weights;
    std::map<std::string, std::vector<onnx::Value>> m_states; ///< before the step, by the node's path
};

/// Where the sequences of a node begin whose state is wired to a vector of weights, by the parts of the state; empty:
/// at zeros. What such a node carries is what its state has moved from there, as in PlanStep::beginsAtWeights.
std::vector<onnx::Value> startOf(const CheckedNode& checked, const onnx::Value& vector)
{
    return checked.stateFromWeights ? onnx::chunk(vector, checked.inputs.at("state").parts)
                                    : std::vector<onnx::Value>();
}

/// A mask of [B] for values [B, width]: 1 where the step is real.
onnx::Value beside(const onnx::Value& mask)
{
    return unsqueeze(mask, 1);
}

/// Empty where the port is free, or where what comes round a loop is not made yet.
onnx::Value valueInto(const Graph& graph, const PortRef& input, const OnnxValues& filled)
{
    if (const auto entering = filled.find(input); entering != filled.end())
        return entering->second;
    const Wire* wire = graph.wireInto(input);
    const auto made = wire == nullptr ? filled.end() : filled.find(wire->from);
    return made == filled.end() ? onnx::Value{} : made->second;
}

PortValues valuesInto(const Graph& graph, const Node& node, const BlockSpec& spec, const OnnxValues& filled)
{
    PortValues inputs;
    const auto look = [&](const std::string& port) {
        if (const onnx::Value value = valueInto(graph, {node.id, port}, filled))
            inputs[port] = value;
    };
    if (node.group)
        for (const PromotedPort& port : node.group->inputs)
            look(port.name);
    else
        for (const PortSpec& port : spec.inputs)
            look(port.name);
    return inputs;
}

/// Of a block that closes a loop, the input that comes round; nullptr: it has none.
const PortSpec* delayedInput(const BlockSpec& spec)
{
    const auto found =
        std::find_if(spec.inputs.begin(), spec.inputs.end(), [](const PortSpec& port) { return port.delayed; });
    return found == spec.inputs.end() ? nullptr : &*found;
}

/// Why a node cannot be written; empty: it can.
std::string stepFault(const CheckedNode& checked, bool hasWriter)
{
    if (const std::string why = noSingleStep(checked); !why.empty())
        return why + ", and ONNX is written step by step";
    if (maskedRule(checked) == MaskedRule::Read)
        return fmt::format(
            "{} gives what it holds at masked steps (masked_output is read), which its ONNX form does not; "
            "set masked_output to zero, or leave its mask unwired",
            checked.spec->title);
    return hasWriter ? std::string() : fmt::format("{} has no ONNX form", checked.spec->title);
}

Result<void> OnnxLayout::model(const Graph& graph, const CheckedGraph& checked)
{
    const auto filled = layOut(graph, checked, {}, {});
    if (!filled)
        return tl::unexpected(filled.error());
    const std::string prediction = modelPorts(checked).prediction;
    const Shape* shape = checked.shapeAt({checked.loss, prediction});
    m_into.enter({});
    m_into.output({prediction, onnx::Type::Float, {shape->size()}, false}, filled->at({checked.loss, prediction}));
    return {};
}

Result<OnnxValues> OnnxLayout::layOut(const Graph& graph, const CheckedGraph& checked, const OnnxValues& promoted,
                                      const OnnxPath& path)
{
    OnnxValues filled = promoted;
    for (NodeId id : checked.order)
        if (auto laid = layNode(graph, checked.nodes.at(id), path, filled); !laid)
            return tl::unexpected(laid.error());
    if (auto closed = closeLoops(graph, checked, path, filled); !closed)
        return tl::unexpected(closed.error());
    return filled;
}

Result<void> OnnxLayout::layNode(const Graph& graph, const CheckedNode& checked, const OnnxPath& path,
                                 OnnxValues& filled)
{
    const Node& node = *graph.find(checked.id);
    const PortValues inputs = valuesInto(graph, node, *checked.spec, filled);
    if (node.group) {
        const auto outputs = layGroup(node, checked, inputs, path);
        if (!outputs)
            return tl::unexpected(outputs.error());
        for (const auto& [port, value] : *outputs)
            filled[{node.id, port}] = value;
        return {};
    }
    if (checked.spec->category != Category::Data)
        return layBlock(node, checked, inputs, path, filled);
    laySource(graph, checked, filled);
    return {};
}

/// The outputs of one copy are the inputs of the same place in the next.
Result<PortValues> OnnxLayout::layGroup(const Node& node, const CheckedNode& checked, PortValues inputs,
                                        const OnnxPath& path)
{
    const Group& group = *node.group;
    PortValues outputs;
    for (std::int64_t copy = 1; copy <= group.repeat; ++copy) {
        const std::string index = group.repeat > 1 ? fmt::format(".{}.", copy) : ".";
        const OnnxPath inner{path.node + node.name + index,
                             path.weights + node.name + (group.sharedWeights ? "." : index)};
        OnnxValues promoted;
        for (const PromotedPort& port : group.inputs)
            if (const auto found = inputs.find(port.name); found != inputs.end())
                promoted[port.inner] = found->second;
        const auto inside = layOut(*group.graph, checked.inCopy(copy), promoted, inner);
        if (!inside)
            return tl::unexpected(inside.error());
        for (std::size_t i = 0; i < group.outputs.size(); ++i) {
            const auto made = inside->find(group.outputs[i].inner);
            if (made == inside->end())
                continue; // a state, which no step hands on
            outputs[group.outputs[i].name] = made->second;
            if (i < group.inputs.size())
                inputs[group.inputs[i].name] = made->second;
        }
    }
    return outputs;
}

void OnnxLayout::laySource(const Graph& graph, const CheckedNode& checked, OnnxValues& filled)
{
    for (const PortSpec& port : checked.spec->outputs) {
        const PortRef output{checked.id, port.name};
        const bool isRead =
            std::any_of(graph.wires.begin(), graph.wires.end(), [&](const Wire& wire) { return wire.from == output; });
        if (port.type == PortType::Tokens)
            filled[output] = m_into.input({port.name, onnx::Type::Int64, {}, false});
        else if (port.type == PortType::Sequence)
            filled[output] =
                m_into.input({port.name, onnx::Type::Float, {checked.outputs.at(port.name).size()}, false});
        else if (port.type == PortType::Mask && isRead)
            filled[output] = m_into.input({port.name, onnx::Type::Bool, {}, false});
    }
}

std::vector<onnx::Value> OnnxLayout::statesOf(const CheckedNode& checked, const std::string& path)
{
    if (!checked.spec->recurrent)
        return {};
    std::vector<onnx::Value>& states = m_states[path];
    const Shape& shape = checked.outputs.at("state");
    for (std::int64_t part = static_cast<std::int64_t>(states.size()); part < shape.parts; ++part)
        states.push_back(
            m_into.input({fmt::format("state.{}.{}", path, part), onnx::Type::Float, {shape.width}, true}));
    return states;
}

/// At masked steps the state is kept.
void OnnxLayout::carryOn(const CheckedNode& checked, const std::string& path, const onnx::Step& step)
{
    const std::vector<onnx::Value>&before = step.state(), &after = step.nextState();
    const std::vector<onnx::Value> start = startOf(checked, step.in("state"));
    const onnx::Value mask = checked.spec->recurrent ? step.in("mask") : onnx::Value{};
    for (std::size_t part = 0; part < before.size(); ++part) {
        const onnx::Value value = mask ? where(beside(mask), after[part], before[part]) : after[part];
        m_into.output(
            {fmt::format("next.{}.{}", path, part), onnx::Type::Float, {checked.outputs.at("state").width}, true},
            start.empty() ? value : value - start[part]);
    }
}

Result<onnx::Step> OnnxLayout::written(const Node& node, const CheckedNode& checked, const PortValues& inputs,
                                       const OnnxPath& path)
{
    const std::string name = path.node + node.name;
    m_into.enter(name);
    const onnx::StepNode about{*checked.spec,   checked.params,           checked.inputs,
                               checked.outputs, path.weights + node.name, m_weights};
    std::vector<onnx::Value> state = statesOf(checked, name);
    if (const auto vector = inputs.find("state"); vector != inputs.end()) {
        const std::vector<onnx::Value> start = startOf(checked, vector->second);
        for (std::size_t part = 0; part < start.size(); ++part)
            state[part] = state[part] + start[part];
    }
    onnx::Step step(m_into, about, inputs, std::move(state));
    if (auto done = m_writers.find(checked.spec->id)(step); !done)
        return fail(done.error().message, name);
    return step;
}

/// A delay whose input comes round a loop gives its outputs, which depend on the state alone; see closeLoops.
Result<void> OnnxLayout::layBlock(const Node& node, const CheckedNode& checked, const PortValues& inputs,
                                  const OnnxPath& path, OnnxValues& filled)
{
    const std::string name = path.node + node.name;
    const bool hasWriter = m_writers.find(checked.spec->id) != nullptr;
    if (const std::string fault = stepFault(checked, hasWriter); !fault.empty())
        return fail(fault, name);
    const auto step = written(node, checked, inputs, path);
    if (!step)
        return tl::unexpected(step.error());
    const onnx::Value mask = checked.spec->recurrent ? step->in("mask") : onnx::Value{};
    for (const PortSpec& port : checked.spec->outputs) {
        const auto made = step->outputs().find(port.name);
        if (made == step->outputs().end() || !made->second)
            continue;
        const bool isMasked = mask && port.type == PortType::Sequence;
        filled[{node.id, port.name}] = isMasked ? where(beside(mask), made->second, 0.0) : made->second;
    }
    const PortSpec* delayed = delayedInput(*checked.spec);
    if (delayed == nullptr || step->in(delayed->name))
        carryOn(checked, name, *step);
    return {};
}

/// Tells the delays of each loop what comes round to them.
Result<void> OnnxLayout::closeLoops(const Graph& graph, const CheckedGraph& checked, const OnnxPath& path,
                                    const OnnxValues& filled)
{
    for (const std::vector<NodeId>& loop : checked.loops)
        for (NodeId id : loop) {
            const CheckedNode& each = checked.nodes.at(id);
            const Node& node = *graph.find(id);
            if (node.group || delayedInput(*each.spec) == nullptr)
                continue;
            const auto step = written(node, each, valuesInto(graph, node, *each.spec, filled), path);
            if (!step)
                return tl::unexpected(step.error());
            carryOn(each, path.node + node.name, *step);
        }
    return {};
}

} // namespace

Result<void> layOutOnnxStep(const Graph& graph, const CheckedGraph& checked,
                            const std::vector<format::OwnedTensor>& weights, const onnx::StepWriters& writers,
                            onnx::Graph& into)
{
    std::map<std::string, onnx::WeightData> data;
    for (const format::OwnedTensor& each : weights) {
        if (each.dtype != format::DType::F32)
            return fail(fmt::format("{} is {} and not F32", each.name, format::dtypeName(each.dtype)), "weights");
        const auto* elements = reinterpret_cast<const float*>(each.data.get());
        data[each.name] = {each.shape, {elements, each.bytes / sizeof(float)}};
    }
    if (auto laid = OnnxLayout(into, writers, std::move(data)).model(graph, checked); !laid)
        return laid;
    into.prune();
    return {};
}

} // namespace unroll
