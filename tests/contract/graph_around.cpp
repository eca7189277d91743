// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/graph_around.h"

#include "core/check/ports.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/experiment.h"
#include "tests/contract/block_case.h"

#include <algorithm>

namespace unroll::contract {

namespace {

constexpr NodeId kData = 1, kFirst = 2, kPooled = 3, kAppended = 19, kHead = 20;

void addNode(Graph& graph, NodeId id, const std::string& block, const std::string& name, Params params)
{
    Node node;
    node.id = id;
    node.block = block;
    node.name = name;
    node.params = std::move(params);
    graph.nodes[id] = std::make_shared<const Node>(std::move(node));
    graph.nextId = std::max(graph.nextId, id + 1);
}

void connect(Graph& graph, PortRef from, PortRef to)
{
    auto made = edits::connect({std::move(from), std::move(to)}).apply(graph);
    graph = made.value();
}

const PortSpec* firstOf(const std::vector<PortSpec>& ports, PortType type)
{
    const auto found =
        std::find_if(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.type == type; });
    return found == ports.end() ? nullptr : &*found;
}

bool isData(const BlockSpec& spec)
{
    return spec.category == Category::Data;
}

/// What a model is made of around classes, and around numbers.
struct Around {
    std::string data;
    Params params;
    std::string input; ///< port of the data that the first block reads
    std::string first;
    std::string firstInput;
    std::string head;
};

const Around& aroundOf(const BlockSpec& spec)
{
    static const Around classes{
        "copy", {{"length", std::int64_t{3}}, {"delay", std::int64_t{2}}}, "tokens", "embedding", "tokens", "head"};
    // All that is asked for lies within 0..1, so that any loss takes it.
    static const Around numbers{
        "series",
        {{"steps", std::int64_t{8}}, {"normalisation", std::string("min-max")}, {"validation_fraction", 0.01}},
        "features",
        "linear",
        "x",
        "mse"};
    static const Around labelled{"", {}, "features", "linear", "x", "head"}; // of data alone: numbers that have a class
    if (isData(spec) && firstOf(spec.outputs, PortType::Sequence) != nullptr &&
        firstOf(spec.outputs, PortType::Targets) != nullptr)
        return labelled;
    const bool given = firstOf(spec.outputs, PortType::TargetValues) != nullptr;
    return given || firstOf(spec.inputs, PortType::TargetValues) != nullptr ? numbers : classes;
}

bool isFromData(PortType type, bool mask)
{
    return type == PortType::Tokens || type == PortType::Targets || type == PortType::TargetValues ||
           (type == PortType::Mask && mask);
}

/// A vector made of the first block's sequence.
void wireVector(Graph& graph, const std::string& port)
{
    const auto pool = findConverter(registry(), PortType::Sequence, PortType::Vector);
    addNode(graph, kPooled, pool->spec->id, "pooled", {});
    connect(graph, {kFirst, "y"}, {kPooled, pool->input});
    connect(graph, {kPooled, pool->output}, {kMiddle, port});
}

bool hasPort(const Graph& graph, const BlockSpec& spec, const PortSpec& port)
{
    return spec.hasPort(port, spec.withDefaults(graph.find(kMiddle)->params));
}

/// The first block's table, which it shares then.
void wireTable(Graph& graph, const std::string& port)
{
    graph = edits::setParam(kFirst, "share_table", true).apply(graph).value();
    connect(graph, {kFirst, "table"}, {kMiddle, port});
}

void wireInputs(Graph& graph, const BlockSpec& spec, const std::string& data, bool mask)
{
    for (const PortSpec& port : spec.inputs) {
        if (port.type == PortType::Sequence && hasPort(graph, spec, port))
            connect(graph, {kFirst, "y"}, {kMiddle, port.name});
        if (port.type == PortType::Vector)
            wireVector(graph, port.name);
        if (port.type == PortType::Table && !port.optional && hasPort(graph, spec, port))
            wireTable(graph, port.name);
        if (isFromData(port.type, mask))
            connect(graph, {kData, firstOf(registry().find(data)->outputs, port.type)->name}, {kMiddle, port.name});
    }
}

/// A recurrent block gets the width that it gives, which some of its options ask for; the others a small one.
std::int64_t widthBefore(const BlockSpec& spec)
{
    const ParamSpec* units = spec.recurrent ? spec.param("units") : nullptr;
    return units == nullptr ? 16 : std::get<std::int64_t>(units->defaultValue);
}

/// The sequence that the head reads: the block's own, or the first block's with the vector that the block gives at
/// every step.
PortRef readByHead(Graph& graph, const BlockSpec& spec)
{
    if (const PortSpec* y = firstOf(spec.outputs, PortType::Sequence); y != nullptr)
        return {kMiddle, y->name};
    const auto appends = [](const BlockSpec& block) {
        return firstOf(block.inputs, PortType::Vector) != nullptr &&
               firstOf(block.outputs, PortType::Sequence) != nullptr;
    };
    const BlockSpec& appending = *registry().find(blocksWhere(appends).front());
    addNode(graph, kAppended, appending.id, "appended", {});
    connect(graph, {kMiddle, firstOf(spec.outputs, PortType::Vector)->name},
            {kAppended, firstOf(appending.inputs, PortType::Vector)->name});
    connect(graph, {kFirst, "y"}, {kAppended, firstOf(appending.inputs, PortType::Sequence)->name});
    return {kAppended, firstOf(appending.outputs, PortType::Sequence)->name};
}

} // namespace

Graph graphAround(const std::string& block, const Params& params, bool mask)
{
    const BlockSpec& spec = *registry().find(block);
    const Around& around = aroundOf(spec);
    const NodeId data = isData(spec) ? kMiddle : kData;
    Graph graph;
    addNode(graph, kMiddle, block, "middle", params);
    if (!isData(spec))
        addNode(graph, kData, around.data, "data", around.params);
    addNode(graph, kFirst, around.first, around.first, {{"width", widthBefore(spec)}});
    connect(graph, {data, around.input}, {kFirst, around.firstInput});
    wireInputs(graph, spec, around.data, mask);
    if (firstOf(spec.outputs, PortType::Loss) != nullptr)
        return graph;
    addNode(graph, kHead, around.head, "head", {});
    connect(graph, {data, "targets"}, {kHead, "targets"});
    const PortRef read = isData(spec) ? PortRef{kFirst, "y"} : readByHead(graph, spec);
    connect(graph, read, {kHead, "x"});
    return graph;
}

CheckedGraph checkAround(const Graph& graph)
{
    DataCache data(builders());
    return check(graph, registry(), {.sourceFacts = data.facts(""), .batch = 4});
}

} // namespace unroll::contract
