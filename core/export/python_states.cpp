// SPDX-License-Identifier: GPL-3.0-or-later
// How recurrent nodes of a class get their states and hand them on.
#include "core/export/python_class.h"

#include "core/graph/names.h"

#include <fmt/format.h>

namespace unroll {

/// Where a recurrent node's final state goes: into new_states, and into a variable as well when another node reads it.
std::string ClassWriter::stateTarget(const Node& node)
{
    if (!isRead({node.id, "state"}))
        return fmt::format("new_states['{}']", node.name);
    return outputVariable(node, "state", false);
}

/// Of a node whose sequences begin at a vector of weights: that vector, cut into the parts of the state.
std::string ClassWriter::startOf(const Node& node) const
{
    return fmt::format("{}.chunk({}, -1)", inputOf(node, "state"),
                       m_checked.nodes.at(node.id).inputs.at("state").parts);
}

/// Behind the call of a recurrent node: puts its final state, or what that has moved from where sequences begin, into
/// new_states, where the call has not done so.
void ClassWriter::carryState(const Node& node)
{
    const std::string carried = fmt::format("new_states['{}']", node.name);
    const bool read = isRead({node.id, "state"});
    const std::string made = read ? m_outputs.at({node.id, "state"}) : carried;
    const bool ofWeights = m_checked.nodes.at(node.id).stateFromWeights;
    m_shared.beginsAtWeights |= ofWeights;
    if (ofWeights)
        line(fmt::format("{} = moved({}, {})", carried, made, startOf(node)));
    else if (read)
        line(fmt::format("{} = {}", carried, made));
}

/// A free state input takes the carried state; so does one that the group has, but nobody wired outside, and each
/// behind the first step of a loop.
std::string ClassWriter::argumentFor(const Node& node, const BlockSpec& spec, const std::string& port) const
{
    const std::string value = inputOf(node, port);
    if (!spec.recurrent || port != "state")
        return value.empty() ? "None" : value;
    const CheckedNode& checked = m_checked.nodes.at(node.id);
    if (checked.stateFromWeights)
        return fmt::format("begun(states.get('{}'), {})", node.name, startOf(node));
    const std::string state =
        checked.stateFromVector ? fmt::format("{}.chunk({}, -1)", value, checked.inputs.at(port).parts) : value;
    const std::string carried = fmt::format("states.get('{}')", node.name);
    if (value.empty())
        return carried;
    const bool entering = m_entering.count({node.id, port}) != 0;
    const std::string unless = entering ? value + " is None" : "";
    const std::string behind = m_looping ? (entering ? "t > 0 or " : "t > 0") + unless : unless;
    return behind.empty() ? state : fmt::format("{} if {} else {}", carried, behind, state);
}

bool beginsState(const Node& node, const CheckedNode& checked, const std::string& port)
{
    if (!node.group) {
        const auto shape = checked.inputs.find(port);
        return !checked.stateFromWeights && shape != checked.inputs.end() && shape->second.type == PortType::State;
    }
    const PromotedPort* promoted = findPort(node.group->inputs, port);
    if (promoted == nullptr)
        return false;
    const PortRef& inner = promoted->inner;
    return beginsState(*node.group->graph->find(inner.node), checked.inner->nodes.at(inner.node), inner.port);
}

/// What a group's input gets; a state goes into a loop at its first step, and is carried from there.
std::string ClassWriter::groupArgument(const Node& node, const std::string& port) const
{
    const std::string value = inputOf(node, port);
    if (value.empty())
        return "None";
    return m_looping && beginsState(node, m_checked.nodes.at(node.id), port)
               ? fmt::format("{} if t == 0 else None", value)
               : value;
}

} // namespace unroll
