// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_graph.h"

#include "core/export/python_class.h"
#include "core/export/python_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {
namespace {

/// Of a class, behind its first sentence.
constexpr const char* kReversibleWords = "\n\n    Reversible: y1 = x1 + F(x2), y2 = x2 + G(y1). Computed as drawn "
                                         "here, with the same outputs and gradients; "
                                         "the activations\n    of all copies are kept for the backward pass.\n    ";

bool hasState(const CheckedGraph& checked)
{
    return std::any_of(checked.nodes.begin(), checked.nodes.end(), [](const auto& entry) {
        return entry.second.inner ? hasState(*entry.second.inner) : entry.second.spec->recurrent;
    });
}

std::int64_t sizeAt(const CheckedNode& node, const std::string& port)
{
    auto shape = node.inputs.find(port);
    return shape == node.inputs.end() ? 0 : shape->second.size();
}

std::vector<std::string> constructorArguments(const CheckedNode& node)
{
    std::vector<std::string> arguments;
    for (const DimensionSpec& dimension : node.spec->dimensions)
        if (node.inputs.contains(dimension.port) || !node.spec->input(dimension.port)->optional)
            arguments.push_back(fmt::format("{}={}", dimension.name, sizeAt(node, dimension.port)));
    for (const ParamSpec& param : node.spec->params)
        if (param.computes)
            arguments.push_back(fmt::format("{}={}", param.name, pythonLiteral(node.params.at(param.name))));
    return arguments;
}

/// "copy" names and the repeat of one group.
std::vector<std::string> copyNames(const Group& group)
{
    std::vector<std::string> names;
    for (std::int64_t copy = 1; copy <= group.repeat; ++copy)
        names.push_back(fmt::format("'{}'", copy));
    return names;
}

} // namespace

ClassWriter::ClassWriter(const Graph& graph, const CheckedGraph& checked, const PythonAttributes& attributes,
                         PythonShared& shared)
    : m_graph(graph),
      m_checked(checked),
      m_attributes(attributes),
      m_shared(shared),
      m_recurrent(hasState(checked)),
      m_names({"self", "targets", "mask", "states", "new_states", "loss", "copy", "inner", "torch", "nn", "F", "math",
               "within", "each_step", "begun", "moved", "t", "str"})
{
    if (checked.source == 0 || checked.loss == 0)
        return; // the inside of a group
    m_names.take(modelPorts(checked).input);
    m_names.take(modelPorts(checked).prediction);
}

std::string ClassWriter::inputOf(const Node& node, const std::string& port) const
{
    if (auto entering = m_entering.find({node.id, port}); entering != m_entering.end())
        return entering->second;
    const Wire* wire = m_graph.wireInto({node.id, port});
    return wire == nullptr ? std::string() : m_outputs.at(wire->from);
}

bool ClassWriter::isRead(const PortRef& output) const
{
    return m_leaving.count(output) != 0 || std::any_of(m_graph.wires.begin(), m_graph.wires.end(),
                                                       [&](const Wire& wire) { return wire.from == output; });
}

/// The first output goes by the node's name, others by node_port; the loss node's are `loss` and what it is called in
/// ModelPorts.
std::string ClassWriter::outputVariable(const Node& node, const std::string& port, bool first)
{
    std::string& variable = m_outputs[{node.id, port}];
    const Shape* shape = m_checked.shapeAt({node.id, port});
    if (m_top && node.id == m_checked.loss && shape != nullptr && shape->type == PortType::Loss)
        variable = "loss";
    else if (m_top && node.id == m_checked.loss && port == modelPorts(m_checked).prediction)
        variable = port;
    else
        variable = m_names.take(first ? node.name : node.name + "_" + port);
    return variable;
}

Result<void> ClassWriter::nodes()
{
    auto loop = m_checked.loops.begin();
    for (std::size_t i = 0; i < m_checked.order.size();) {
        const bool loops = loop != m_checked.loops.end() && loop->front() == m_checked.order[i];
        if (auto added = loops ? addLoop(*loop) : addNode(m_checked.nodes.at(m_checked.order[i])); !added)
            return added;
        i += loops ? (loop++)->size() : 1;
    }
    return {};
}

Result<void> ClassWriter::addNode(const CheckedNode& checked)
{
    const Node& node = *m_graph.find(checked.id);
    if (node.group)
        return addGroup(node, checked);
    return checked.spec->category == Category::Data ? addSource(node, checked) : addBlock(node, checked);
}

Result<void> ClassWriter::addSource(const Node& node, const CheckedNode& checked)
{
    static const std::set<std::string> known{"tokens", "features", "targets", "mask"};
    for (const PortSpec& port : checked.spec->outputs) {
        if (!m_top || known.count(port.name) == 0)
            return fail("this data block has no place in exported Python code", node.name);
        m_outputs[{node.id, port.name}] = port.name;
    }
    return {};
}

Result<void> ClassWriter::addBlock(const Node& node, const CheckedNode& checked)
{
    const BlockSpec& spec = *checked.spec;
    if (spec.pythonClass.empty() || spec.referenceText.empty())
        return fail(fmt::format("{} has no Python code to export", spec.title), node.name);
    if (std::find(m_shared.blocks.begin(), m_shared.blocks.end(), &spec) == m_shared.blocks.end())
        m_shared.blocks.push_back(&spec);
    const std::string& attribute = m_attributes.of(node.name);
    m_init.push_back(pythonCall(kPythonBody, fmt::format("self.{} = {}", attribute, spec.pythonClass),
                                constructorArguments(checked)));

    if (m_looping && closesLoop(spec)) {
        giveDelayed(node, spec);
        return {};
    }
    std::vector<std::string> arguments;
    for (const PortSpec& port : spec.inputs) {
        arguments.push_back(argumentFor(node, spec, port.name));
        if (checked.onVectors && (port.type == PortType::Targets || port.type == PortType::TargetValues)) {
            arguments.back() = fmt::format("one_each({})", arguments.back());
            m_shared.onVectors = true;
        }
    }
    while (!arguments.empty() && arguments.back() == "None")
        arguments.pop_back();
    std::vector<std::string> results;
    for (const PortSpec& port : spec.outputs)
        if (spec.hasPort(port, checked.params))
            results.push_back(spec.recurrent && port.name == "state"
                                  ? stateTarget(node)
                                  : outputVariable(node, port.name, results.empty()));
    m_forward.push_back(
        pythonCall(m_indent, fmt::format("{} = self.{}", fmt::join(results, ", "), attribute), arguments));
    if (spec.recurrent)
        carryState(node);
    return {};
}

Result<void> ClassWriter::addGroup(const Node& node, const CheckedNode& checked)
{
    const Group& group = *node.group;
    if (auto made = checked.copies.empty() ? addAlike(node, checked) : addUnlike(node, checked); !made)
        return made;
    std::vector<std::string> outputs;
    for (const PromotedPort& port : group.outputs)
        outputs.push_back(outputVariable(node, port.name, outputs.empty()));
    const bool recurrent = hasState(*checked.inner);
    m_shared.carriesGroups |= recurrent;
    group.repeat == 1 ? callOnce(node, outputs, recurrent) : callRepeated(node, outputs, recurrent);
    return {};
}

/// One class for all copies.
Result<void> ClassWriter::addAlike(const Node& node, const CheckedNode& checked)
{
    const Group& group = *node.group;
    const std::string className = m_shared.classNames.take(pythonClassName(node.name));
    ClassWriter inner(*group.graph, *checked.inner, m_attributes.inside(node.name), m_shared);
    const std::string copies = group.repeat == 1 ? "" : fmt::format(", one of {} copies", group.repeat);
    if (auto written = inner.writeGroup(className, node, copies); !written)
        return written;
    const std::string& attribute = m_attributes.of(node.name);
    if (group.repeat == 1 || group.sharedWeights)
        m_init.push_back(fmt::format("{}self.{} = {}()", kPythonBody, attribute, className));
    else
        m_init.push_back(fmt::format("{}self.{} = nn.ModuleDict({{str(copy): {}() for copy in range(1, {})}})",
                                     kPythonBody, attribute, className, group.repeat + 1));
    return {};
}

/// One class for those that are alike, called by the first of them.
Result<void> ClassWriter::addUnlike(const Node& node, const CheckedNode& checked)
{
    const Group& group = *node.group;
    std::vector<std::string> entries(checked.copies.size());
    for (const CheckedNode::Copies& copies : checked.unlikeCopies()) {
        const std::string name =
            m_shared.classNames.take(fmt::format("{}{}", pythonClassName(node.name), copies.numbers.front()));
        ClassWriter inner(*group.graph, *copies.inner, m_attributes.inside(node.name), m_shared);
        if (auto written = inner.writeGroup(name, node, fmt::format(", {} of {}", copies.text(), entries.size()));
            !written)
            return written;
        for (const std::int64_t copy : copies.numbers)
            entries[static_cast<std::size_t>(copy - 1)] = fmt::format("'{}': {}()", copy, name);
    }
    entries.front() = "{" + entries.front();
    entries.back() += "}";
    m_init.push_back(
        pythonCall(kPythonBody, fmt::format("self.{} = nn.ModuleDict", m_attributes.of(node.name)), entries));
    return {};
}

void ClassWriter::callOnce(const Node& node, const std::vector<std::string>& outputs, bool recurrent)
{
    std::vector<std::string> arguments;
    for (const PromotedPort& port : node.group->inputs)
        arguments.push_back(groupArgument(node, port.name));
    std::vector<std::string> results = outputs;
    if (recurrent) {
        arguments.push_back(fmt::format("within(states, '{}.')", node.name));
        results.push_back("inner");
    }
    m_forward.push_back(pythonCall(
        m_indent, fmt::format("{} = self.{}", fmt::join(results, ", "), m_attributes.of(node.name)), arguments));
    if (recurrent)
        line(fmt::format("new_states.update({{'{}.' + name: state for name, state in inner.items()}})", node.name));
}

/// The outputs of one copy are the inputs of the same place in the next; inputs beyond them are the same for all
/// copies.
void ClassWriter::callRepeated(const Node& node, const std::vector<std::string>& outputs, bool recurrent)
{
    const Group& group = *node.group;
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < group.inputs.size(); ++i) {
        arguments.push_back(groupArgument(node, group.inputs[i].name));
        if (i >= outputs.size())
            continue;
        line(fmt::format("{} = {}", outputs[i], arguments.back()));
        arguments.back() = outputs[i];
    }
    const std::string attribute = "self." + m_attributes.of(node.name);
    if (group.sharedWeights)
        line(fmt::format("for copy in ({}):", fmt::join(copyNames(group), ", ")));
    else
        line(fmt::format("for copy in {}:", attribute));
    std::vector<std::string> results = outputs;
    if (recurrent) {
        arguments.push_back(fmt::format("within(states, f'{}.{{copy}}.')", node.name));
        results.push_back("inner");
    }
    const std::string called = group.sharedWeights ? attribute : attribute + "[copy]";
    m_forward.push_back(
        pythonCall(m_indent + "    ", fmt::format("{} = {}", fmt::join(results, ", "), called), arguments));
    if (recurrent)
        line(fmt::format("    new_states.update({{f'{}.{{copy}}.{{name}}': state for name, state in inner.items()}})",
                         node.name));
}

void ClassWriter::finish(const std::string& name, const std::string& docstring, const std::string& signature,
                         const std::string& results)
{
    std::string text = fmt::format("class {}(nn.Module):\n{}\n    def __init__(self):\n{}super().__init__()\n", name,
                                   docstring, kPythonBody);
    for (const std::string& each : m_init)
        text += each + "\n";
    text += fmt::format("\n    def forward({}):\n", signature);
    if (m_recurrent || m_top)
        text += kPythonBody + (m_top ? "states, new_states = states or {}, {}\n" : "new_states = {}\n");
    for (const std::string& each : m_forward)
        text += each + "\n";
    m_shared.classes.push_back(text + fmt::format("{}return {}\n", kPythonBody, results));
}

Result<void> ClassWriter::writeModel(const std::string& name, const std::string& docstring)
{
    m_top = true;
    if (auto added = nodes(); !added)
        return added;
    const ModelPorts ports = modelPorts(m_checked);
    finish(name, docstring, fmt::format("self, {}, targets=None, mask=None, states=None", ports.input),
           fmt::format("loss, {}, new_states", ports.prediction));
    return {};
}

Result<void> ClassWriter::writeGroup(const std::string& name, const Node& node, const std::string& copies)
{
    const Group& group = *node.group;
    std::string signature = "self";
    for (const PromotedPort& port : group.inputs) {
        m_entering[port.inner] = m_names.take(port.name);
        signature += ", " + m_entering[port.inner];
    }
    for (const PromotedPort& port : group.outputs)
        m_leaving.insert(port.inner);
    if (auto added = nodes(); !added)
        return tl::unexpected(Error{added.error().message, node.name + "." + added.error().place});
    std::vector<std::string> results;
    for (const PromotedPort& port : group.outputs)
        results.push_back(m_outputs.at(port.inner));
    if (m_recurrent) {
        signature += ", states";
        results.push_back("new_states");
    }
    const std::string more = group.reversible ? kReversibleWords : "";
    finish(name, fmt::format("    \"\"\"The group {}{}.{}\"\"\"\n", node.name, copies, more), signature,
           fmt::format("{}", fmt::join(results, ", ")));
    return {};
}

ModelPorts modelPorts(const CheckedGraph& checked)
{
    const BlockSpec& data = *checked.nodes.at(checked.source).spec;
    const BlockSpec& loss = *checked.nodes.at(checked.loss).spec;
    const bool numbers = data.output("features") != nullptr;
    return {numbers ? "features" : "tokens", loss.prediction()->name, numbers,
            data.output("targets")->type == PortType::TargetValues, checked.nodes.at(checked.loss).onVectors};
}

Result<PythonClasses> pythonClasses(const Graph& graph, const CheckedGraph& checked, const std::string& modelName,
                                    const std::string& docstring, std::set<std::string> taken)
{
    taken.insert(modelName);
    PythonShared shared{PythonNames(std::move(taken)), {}, {}};
    const PythonAttributes attributes(graph);
    if (auto written = ClassWriter(graph, checked, attributes, shared).writeModel(modelName, docstring); !written)
        return tl::unexpected(written.error());
    return PythonClasses{fmt::format("{}", fmt::join(shared.classes, "\n\n")),
                         shared.blocks,
                         shared.carriesGroups,
                         shared.loops,
                         shared.onVectors,
                         shared.beginsAtWeights};
}

} // namespace unroll
