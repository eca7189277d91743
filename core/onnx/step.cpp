// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <utility>

namespace unroll::onnx {

Step::Step(Graph& graph, StepNode node, std::map<std::string, Value> inputs, std::vector<Value> state)
    : m_graph(&graph), m_node(std::move(node)), m_inputs(std::move(inputs)), m_state(std::move(state))
{}

std::int64_t Step::integer(const std::string& param) const
{
    return std::get<std::int64_t>(m_node.params.at(param));
}

double Step::real(const std::string& param) const
{
    return std::get<double>(m_node.params.at(param));
}

bool Step::boolean(const std::string& param) const
{
    return std::get<bool>(m_node.params.at(param));
}

const std::string& Step::text(const std::string& param) const
{
    return std::get<std::string>(m_node.params.at(param));
}

std::int64_t Step::inputSize(const std::string& port) const
{
    const auto found = m_node.inputs.find(port);
    return found == m_node.inputs.end() ? 0 : found->second.size();
}

std::int64_t Step::outputSize(const std::string& port) const
{
    return m_node.outputs.at(port).size();
}

Value Step::in(const std::string& port) const
{
    const auto found = m_inputs.find(port);
    return found == m_inputs.end() ? Value{} : found->second;
}

bool Step::hasWeight(const std::string& name) const
{
    return m_node.allWeights.contains(m_node.weights + "." + name);
}

WeightData Step::data(const std::string& name) const
{
    return m_node.allWeights.at(m_node.weights + "." + name);
}

Value Step::weight(const std::string& name)
{
    if (!hasWeight(name))
        return {};
    const WeightData found = data(name);
    return m_graph->weight(m_node.weights + "." + name, found.dims, found.elements);
}

Value Step::dense(const std::string& name, const Value& x)
{
    return linear(x, weight(name + ".weight"), weight(name + ".bias"));
}

} // namespace unroll::onnx
