// SPDX-License-Identifier: GPL-3.0-or-later
// Cells put together by hand, node by node and wire by wire.
#pragma once

#include "tests/contract/block_case.h"
#include "tests/support/tiny_experiment.h"

#include <string>
#include <utility>
#include <vector>

namespace unroll::contract {

/// text -> embedding -> ... -> head, with nodes and wires between by name: "delay.y -> back.x".
class Wiring {
public:
    explicit Wiring(std::int64_t units) : m_units(units)
    {
        node("text", "text").node("embedding", "embedding", {{"width", units}});
        wire("text.tokens", "embedding.tokens");
    }

    Wiring& node(const std::string& block, const std::string& name, Params params = {})
    {
        m_graph.addNode(testing::makeNode(m_graph.nextId, block, name, std::move(params)));
        return *this;
    }

    Wiring& wire(const std::string& from, const std::string& to)
    {
        m_graph.addWire({end(from), end(to)});
        return *this;
    }

    Wiring& linear(const std::string& name, const std::string& from, std::int64_t width)
    {
        return node("linear", name, {{"width", width}}).wire(from, name + ".x");
    }

    Wiring& function(const std::string& function, const std::string& name, const std::string& from)
    {
        return node("activation", name, {{"function", function}}).wire(from, name + ".x");
    }

    Wiring& slice(const std::string& name, const std::string& from, std::int64_t part)
    {
        return node("slice", name, {{"start", part * m_units}, {"width", m_units}}).wire(from, name + ".x");
    }

    /// A block that combines two sequences, or a gate with two.
    Wiring& combine(const std::string& block, const std::string& name, const std::vector<std::string>& from)
    {
        node(block, name);
        const auto& inputs = registry().find(block)->inputs;
        for (std::size_t i = 0; i < from.size(); ++i)
            wire(from[i], name + "." + inputs[i].name);
        return *this;
    }

    Graph graph(const std::string& last)
    {
        node("head", "head").wire(last, "head.x").wire("text.targets", "head.targets");
        return m_graph;
    }

private:
    PortRef end(const std::string& text) const
    {
        const std::size_t dot = text.find('.');
        return {m_graph.findByName(text.substr(0, dot))->id, text.substr(dot + 1)};
    }

    std::int64_t m_units;
    Graph m_graph;
};

} // namespace unroll::contract
