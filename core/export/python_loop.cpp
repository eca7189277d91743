// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_class.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {

bool closesLoop(const BlockSpec& spec)
{
    return std::any_of(spec.inputs.begin(), spec.inputs.end(), [](const PortSpec& port) { return port.delayed; });
}

namespace {

bool contains(const std::vector<NodeId>& loop, NodeId id)
{
    return std::find(loop.begin(), loop.end(), id) != loop.end();
}

void addOnce(std::vector<PortRef>& list, const PortRef& port)
{
    if (std::find(list.begin(), list.end(), port) == list.end())
        list.push_back(port);
}

} // namespace

/// Outputs outside of the loop, or inputs that the group brings in, that the loop reads: those with one value a step,
/// or the states among the others. Sequences before masks, which may be None.
std::vector<PortRef> ClassWriter::enteringLoop(const std::vector<NodeId>& loop, bool perStep) const
{
    std::vector<PortRef> found, masks;
    for (const NodeId id : loop) {
        const CheckedNode& checked = m_checked.nodes.at(id);
        for (const auto& [port, shape] : checked.inputs) {
            if (!(perStep ? isPerStep(shape.type) : beginsState(*m_graph.find(id), checked, port)))
                continue;
            std::vector<PortRef>& list = shape.type == PortType::Mask ? masks : found;
            const PortRef input{id, port};
            const Wire* wire = m_graph.wireInto(input);
            if (m_entering.contains(input))
                addOnce(list, input);
            else if (wire != nullptr && !contains(loop, wire->from.node))
                addOnce(list, wire->from);
        }
    }
    found.insert(found.end(), masks.begin(), masks.end());
    return found;
}

/// Outputs with one value a step that are read outside of the loop.
std::vector<PortRef> ClassWriter::leavingLoop(const std::vector<NodeId>& loop) const
{
    std::vector<PortRef> found;
    for (const NodeId id : loop)
        for (const auto& [port, shape] : m_checked.nodes.at(id).outputs) {
            const PortRef output{id, port};
            const bool read = m_leaving.contains(output) ||
                              std::any_of(m_graph.wires.begin(), m_graph.wires.end(), [&](const Wire& wire) {
                                  return wire.from == output && !contains(loop, wire.to.node);
                              });
            if (read && isPerStep(shape.type))
                found.push_back(output);
        }
    return found;
}

/// "for x_t, mask_t in each_step(x, mask):", and from there on what enters is known as its step.
std::string ClassWriter::beginLoop(const std::vector<NodeId>& loop)
{
    std::vector<std::string> steps, sequences;
    for (const PortRef& port : enteringLoop(loop, true)) {
        std::string& variable = m_entering.contains(port) ? m_entering.at(port) : m_outputs.at(port);
        sequences.push_back(variable);
        variable = m_names.take(variable + "_t");
        steps.push_back(variable);
    }
    m_sequences = steps.front() + ".shape[1]";
    std::string names = fmt::format("{}", fmt::join(steps, ", ")) + (steps.size() == 1 ? "," : "");
    std::string walk = fmt::format("each_step({})", fmt::join(sequences, ", "));
    if (!enteringLoop(loop, false).empty()) { // a state, at the first step alone
        names = fmt::format("t, ({})", names);
        walk = fmt::format("enumerate({})", walk);
    }
    return fmt::format("for {} in {}:", names, walk);
}

Result<void> ClassWriter::addLoop(const std::vector<NodeId>& loop)
{
    m_shared.loops = true;
    const auto entering = m_entering, outputs = m_outputs;
    const std::string head = beginLoop(loop);
    const std::vector<PortRef> leaving = leavingLoop(loop);
    const std::size_t lists = m_forward.size(); // their names are those of variables that come
    line(head);
    m_looping = true;
    m_indent += "    ";
    for (const NodeId id : loop)
        if (auto added = addNode(m_checked.nodes.at(id)); !added)
            return added;
    for (const NodeId id : loop)
        if (const BlockSpec& spec = *m_checked.nodes.at(id).spec; !m_graph.find(id)->group && closesLoop(spec))
            takeDelayed(*m_graph.find(id), spec);
    line("states = {**states, **new_states}");
    std::vector<std::string> made, joins;
    for (const PortRef& port : leaving) {
        const std::string& variable = m_outputs.at(port);
        const std::string list = m_names.take(variable + "_steps");
        line(fmt::format("{}.append({})", list, variable));
        made.push_back(fmt::format("{}{} = []", kPythonBody, list));
        joins.push_back(fmt::format("{} = torch.cat({})", variable, list));
    }
    m_looping = false;
    m_indent = kPythonBody;
    m_forward.insert(m_forward.begin() + static_cast<std::ptrdiff_t>(lists), made.begin(), made.end());
    for (const std::string& join : joins)
        line(join);
    m_entering = entering; // behind the loop they are whole again
    for (const auto& [port, variable] : outputs)
        m_outputs[port] = variable;
    return {};
}

/// The output of this step, which hangs on the state alone.
void ClassWriter::giveDelayed(const Node& node, const BlockSpec& spec)
{
    std::vector<std::string> arguments;
    for (const PortSpec& port : spec.inputs)
        if (!port.delayed)
            arguments.push_back(argumentFor(node, spec, port.name));
    arguments.push_back(m_sequences);
    const std::string variable = outputVariable(node, spec.outputs.front().name, true);
    m_forward.push_back(
        pythonCall(m_indent, fmt::format("{} = self.{}.before", variable, m_attributes.of(node.name)), arguments));
}

/// Its state after this step.
void ClassWriter::takeDelayed(const Node& node, const BlockSpec& spec)
{
    std::vector<std::string> arguments;
    for (const PortSpec& port : spec.inputs)
        arguments.push_back(argumentFor(node, spec, port.name));
    while (arguments.back() == "None")
        arguments.pop_back();
    m_forward.push_back(
        pythonCall(m_indent, fmt::format("_, {} = self.{}", stateTarget(node), m_attributes.of(node.name)), arguments));
    carryState(node);
}

} // namespace unroll
