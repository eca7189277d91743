// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit.h"
#include "core/graph/graph_json.h"
#include "core/graph/graph_text.h"

#include <cmath>
#include <set>
#include <unordered_map>

namespace unroll {

namespace {

/// Whole numbers without a point: canvas places mostly are.
Json coordinate(double value)
{
    const bool whole = std::floor(value) == value && std::abs(value) < 1e15 && !(value == 0 && std::signbit(value));
    return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json pair(double a, double b)
{
    return JsonArray{coordinate(a), coordinate(b)};
}

/// Kept JSON as a value; null when the text is none, which only a program can bring about.
Json parsedExtra(const std::map<std::string, std::string>& extra, const std::string& key)
{
    auto found = extra.find(key);
    if (found == extra.end())
        return {};
    auto json = readJson(found->second, key);
    return json ? *json : Json();
}

/// Parameters in order of their names. A number that was written in another way (1e-3), or that no parameter type
/// holds, stays as it was.
Json paramsToJson(const Node& node)
{
    std::map<std::string, Json> members;
    for (const auto& [name, value] : node.params)
        members.emplace(name, paramToJson(value));
    const Json kept = parsedExtra(node.extra, "params");
    if (const JsonObject* object = kept.asObject())
        for (const JsonMember& member : *object) {
            auto known = node.params.find(member.key);
            if (known == node.params.end() || paramFromJson(member.value) == known->second)
                members[member.key] = member.value;
        }
    Json json{JsonObject()};
    for (auto& [name, value] : members)
        json.add(name, std::move(value));
    return json;
}

class GraphWriter {
public:
    explicit GraphWriter(const Graph& graph) : m_graph(graph)
    {
        std::unordered_map<std::string, int> uses;
        for (const auto& [id, node] : graph.nodes)
            ++uses[node->name];
        for (const auto& [id, node] : graph.nodes)
            if (isValidName(node->name) && uses[node->name] == 1)
                m_names[id] = &node->name;
    }

    /// The graph's members into an object: a document's, or a group's.
    void writeInto(Json& object) const
    {
        Json nodes{JsonArray()};
        for (const auto& [id, node] : m_graph.nodes)
            nodes.push(nodeJson(*node));
        object.add("nodes", std::move(nodes));
        Json wires{JsonArray()};
        for (const Wire& wire : m_graph.wires)
            wires.push(wireJson(wire));
        object.add("wires", std::move(wires));
        if (!m_graph.frames.empty())
            object.add("frames", framesJson());
        object.add("next_id", m_graph.nextId);
    }

private:
    /// "lstm.x" when that reads back as this end; empty otherwise.
    std::string endText(const PortRef& end) const
    {
        auto name = m_names.find(end.node);
        const bool plain = name != m_names.end() && !end.port.empty() && end.port.find(kArrow) == std::string::npos;
        return plain ? *name->second + "." + end.port : "";
    }

    Json wireJson(const Wire& wire) const
    {
        const std::string from = endText(wire.from), to = endText(wire.to);
        if (const std::string text = from + std::string(kArrow) + to; !from.empty() && !to.empty() && splitArrow(text))
            return text;
        return JsonObject{
            {"from", wire.from.node}, {"output", wire.from.port}, {"to", wire.to.node}, {"input", wire.to.port}};
    }

    Json promotedJson(const std::string& name, const PortRef& inner, bool output) const
    {
        const std::string end = endText(inner);
        const std::string text = output ? end + std::string(kArrow) + name : name + std::string(kArrow) + end;
        if (!end.empty() && !name.empty() && splitArrow(text))
            return text;
        return JsonObject{{"name", name}, {"node", inner.node}, {"port", inner.port}};
    }

    Json framesJson() const
    {
        Json frames{JsonArray()};
        for (const auto& [id, frame] : m_graph.frames)
            frames.push(JsonObject{{"id", id},
                                   {"title", frame.title},
                                   {"at", pair(frame.place.x, frame.place.y)},
                                   {"size", pair(frame.width, frame.height)}});
        return frames;
    }

    static Json nodeJson(const Node& node)
    {
        Json json{JsonObject{
            {"id", node.id}, {"block", node.block}, {"name", node.name}, {"at", pair(node.place.x, node.place.y)}}};
        json.add("params", paramsToJson(node));
        const bool group = node.block == "group" && node.group && node.group->graph;
        if (group)
            json.add("group", groupJson(*node.group, parsedExtra(node.extra, "group")));
        for (const auto& [key, text] : node.extra)
            if (key != "params" && !(key == "group" && group) && json.find(key) == nullptr)
                json.add(key, parsedExtra(node.extra, key));
        return json;
    }

    static Json groupJson(const Group& group, const Json& kept)
    {
        const GraphWriter inner(*group.graph);
        Json json{JsonObject{{"repeat", group.repeat}, {"shared_weights", group.sharedWeights}}};
        if (group.reversible)
            json.add("reversible", true);
        Json inputs{JsonArray()}, outputs{JsonArray()}, params{JsonArray()};
        for (const PromotedPort& port : group.inputs)
            inputs.push(inner.promotedJson(port.name, port.inner, false));
        for (const PromotedPort& port : group.outputs)
            outputs.push(inner.promotedJson(port.name, port.inner, true));
        for (const PromotedParam& param : group.params)
            params.push(inner.promotedJson(param.name, {param.node, param.param}, false));
        json.add("inputs", std::move(inputs));
        json.add("outputs", std::move(outputs));
        json.add("params", std::move(params));
        inner.writeInto(json);
        if (const JsonObject* object = kept.asObject())
            for (const JsonMember& member : *object)
                if (json.find(member.key) == nullptr)
                    json.add(member.key, member.value);
        return json;
    }

    const Graph& m_graph;
    std::unordered_map<NodeId, const std::string*> m_names; ///< those that name their node alone
};

} // namespace

Json graphToJson(const Graph& graph)
{
    Json json{JsonObject()};
    GraphWriter(graph).writeInto(json);
    return json;
}

} // namespace unroll
