// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/graph.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace unroll::onnx {
namespace {

template <class T>
void appendElement(std::string& bytes, T element)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    char raw[sizeof(T)];
    std::memcpy(raw, &element, sizeof(T)); // little-endian machines alone, as all of core/format
    bytes.append(raw, sizeof(T));
}

void dropUnread(std::vector<NodeOp>& nodes, std::set<std::string>& read)
{
    std::vector<NodeOp> kept;
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        const auto isRead = [&](const std::string& output) { return read.contains(output); };
        if (std::none_of(node->outputs.begin(), node->outputs.end(), isRead))
            continue;
        read.insert(node->inputs.begin(), node->inputs.end());
        kept.push_back(std::move(*node));
    }
    nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

} // namespace

std::string Graph::nameFor(const std::string& word)
{
    const std::string stem = m_scope.empty() ? word : fmt::format("{}/{}", m_scope, word);
    std::string name = stem;
    for (std::size_t i = 2; !m_names.insert(name).second; ++i)
        name = fmt::format("{}.{}", stem, i);
    return name;
}

Value Graph::input(StepPort port)
{
    m_names.insert(port.name);
    m_inputs.push_back(port);
    return {this, port.name, false};
}

void Graph::output(StepPort port, const Value& value)
{
    assert(value);
    m_names.insert(port.name);
    m_step.push_back({"Identity", port.name, {value.name}, {port.name}, {}});
    m_outputs.push_back(std::move(port));
}

Value Graph::stored(Initializer initializer)
{
    m_names.insert(initializer.name);
    m_initializers.push_back(std::move(initializer));
    return {this, m_initializers.back().name, true};
}

Value Graph::weight(const std::string& name, std::vector<std::int64_t> dims, std::span<const float> elements)
{
    if (!m_stored.emplace(name, name).second)
        return {this, name, true};
    std::string bytes;
    bytes.reserve(elements.size() * sizeof(float));
    for (float element : elements)
        appendElement(bytes, element);
    return stored({name, Type::Float, std::move(dims), std::move(bytes)});
}

Value Graph::constant(const std::string& name, std::vector<std::int64_t> dims, const std::vector<double>& elements)
{
    std::string bytes;
    for (double element : elements)
        appendElement(bytes, static_cast<float>(element));
    return stored({nameFor(name), Type::Float, std::move(dims), std::move(bytes)});
}

Value Graph::number(double value)
{
    const auto single = static_cast<float>(value);
    const std::string name = fmt::format("number/{}", single);
    if (!m_stored.emplace(name, name).second)
        return {this, name, true};
    std::string bytes;
    appendElement(bytes, single);
    return stored({name, Type::Float, {}, std::move(bytes)});
}

Value Graph::whole(std::vector<std::int64_t> values)
{
    std::string name = "whole", bytes;
    for (std::int64_t value : values) {
        name += fmt::format("/{}", value);
        appendElement(bytes, value);
    }
    if (!m_stored.emplace(name, name).second)
        return {this, name, true};
    return stored({name, Type::Int64, {static_cast<std::int64_t>(values.size())}, std::move(bytes)});
}

Value Graph::wholeNumber(std::int64_t value)
{
    const std::string name = fmt::format("scalar/{}", value);
    if (!m_stored.emplace(name, name).second)
        return {this, name, true};
    std::string bytes;
    appendElement(bytes, value);
    return stored({name, Type::Int64, {}, std::move(bytes)});
}

std::vector<Value> Graph::applySplit(const std::string& op, const std::vector<Value>& inputs,
                                     std::vector<Attribute> attributes, std::size_t outputs)
{
    const bool ready = std::all_of(inputs.begin(), inputs.end(), [](const Value& each) { return !each || each.ready; });
    NodeOp node{op, nameFor(op), {}, {}, std::move(attributes)};
    for (const Value& each : inputs)
        node.inputs.push_back(each.name);
    while (!node.inputs.empty() && node.inputs.back().empty())
        node.inputs.pop_back();
    std::vector<Value> made;
    for (std::size_t i = 0; i < outputs; ++i) {
        node.outputs.push_back(outputs == 1 ? node.name : fmt::format("{}:{}", node.name, i));
        m_names.insert(node.outputs.back());
        made.push_back({this, node.outputs.back(), ready});
    }
    (ready ? m_ready : m_step).push_back(std::move(node));
    return made;
}

Value Graph::apply(const std::string& op, const std::vector<Value>& inputs, std::vector<Attribute> attributes)
{
    return applySplit(op, inputs, std::move(attributes), 1).front();
}

void Graph::prune()
{
    std::set<std::string> read;
    for (const StepPort& port : m_outputs)
        read.insert(port.name);
    dropUnread(m_step, read);
    dropUnread(m_ready, read);
    std::erase_if(m_initializers, [&](const Initializer& each) { return !read.contains(each.name); });
}

} // namespace unroll::onnx
