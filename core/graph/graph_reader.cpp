// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph_json.h"
#include "core/graph/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace unroll {

namespace {

constexpr std::size_t kMaxNodes = 100'000; ///< of a document, groups included

/// What all levels of one document share: its name, the node count, the first mistake.
struct Reading {
    const std::string& source;
    std::size_t nodes = 0;
    std::optional<Error> error;

    /// Notes the first mistake; always false, so that callers return it.
    bool refuse(const Json& at, const std::string& path, const std::string& words)
    {
        if (!error)
            error = Error{fmt::format("{} {} (byte {})", path, words, at.offset()), source};
        return false;
    }
    bool wrongKind(const Json& at, const std::string& path, const char* expected)
    {
        return refuse(at, path,
                      fmt::format("must be {}; it is {}", expected, at.isNumber() ? writeJson(at) : at.kind()));
    }
};

/// Reads one graph: the document's, or a group's. `path` is how its members are called in messages: "graph.",
/// "graph.nodes[3].group.".
class GraphReader {
public:
    GraphReader(Reading& reading, std::string path, std::size_t depth)
        : m_reading(reading), m_path(std::move(path)), m_depth(depth)
    {}

    bool read(const Json& json) { return readNodes(json) && readWires(json) && readFrames(json) && readNextId(json); }

    Graph take() { return std::move(m_graph); }

    /// Members of a graph; a group has more.
    static bool isGraphMember(const std::string& key)
    {
        return key == "nodes" || key == "wires" || key == "frames" || key == "next_id";
    }

    bool readGroup(const Json& json, Group& group, std::string& kept);

private:
    const JsonArray* array(const Json& json, const char* key, bool& fine)
    {
        static const JsonArray kNone;
        const Json* member = json.find(key);
        if (member == nullptr)
            return &kNone;
        if (member->asArray() == nullptr)
            fine = m_reading.wrongKind(*member, m_path + key, "an array");
        return member->asArray();
    }

    bool readNodes(const Json& json)
    {
        bool fine = true;
        if (json.find("nodes") == nullptr)
            return m_reading.refuse(json, m_path + "nodes", "is missing");
        const JsonArray* nodes = array(json, "nodes", fine);
        for (std::size_t i = 0; fine && i < nodes->size(); ++i)
            fine = readNode((*nodes)[i], fmt::format("{}nodes[{}]", m_path, i));
        return fine;
    }

    bool readNode(const Json& json, const std::string& path);
    bool readNodeMember(const JsonMember& member, Node& node, const std::string& path);
    bool readParams(const Json& json, Node& node, const std::string& path);
    bool readWires(const Json& json);
    bool readWire(const Json& json, const std::string& path, Wire& wire);
    bool readFrames(const Json& json);
    bool readFrame(const Json& json, const std::string& path);
    bool readNextId(const Json& json);

    /// A promoted port, or a promoted parameter: a name and an end inside.
    bool readPromoted(const Json& json, const std::string& path, bool output, PromotedPort& port);
    template <class Take>
    bool readPromotedList(const Json& json, const char* key, bool output, Take take);

    bool readText(const Json& json, const std::string& path, std::string& text)
    {
        if (json.asString() == nullptr)
            return m_reading.wrongKind(json, path, "a string");
        text = *json.asString();
        return true;
    }

    /// Of a node or frame unless told otherwise. The number after the last one is still to be written, as next_id.
    bool readId(const Json& json, const std::string& path, NodeId& id, NodeId most = kMaxId - 1)
    {
        const auto value = json.asInt();
        if (!value || *value < 1 || *value > static_cast<std::int64_t>(most))
            return m_reading.refuse(json, path, fmt::format("must be a whole number from 1 to {}", most));
        id = static_cast<NodeId>(*value);
        return true;
    }

    /// For what has no id in the file.
    bool giveId(const Json& json, const std::string& path, NodeId& id)
    {
        id = m_graph.nextId;
        return id < kMaxId ||
               m_reading.refuse(json, path + ".id", fmt::format("is missing, and {} is already used", id - 1));
    }

    bool readPair(const Json& json, const std::string& path, double& a, double& b)
    {
        const JsonArray* both = json.asArray();
        if (both == nullptr || both->size() != 2 || !(*both)[0].asReal() || !(*both)[1].asReal())
            return m_reading.refuse(json, path, "must be two numbers: [x, y]");
        a = *(*both)[0].asReal();
        b = *(*both)[1].asReal();
        return true;
    }

    /// "lstm.x" in text; names are known once the nodes are read.
    bool resolve(const Json& at, const std::string& path, const std::string& text, PortRef& end)
    {
        const auto halves = splitDot(text);
        if (!halves)
            return m_reading.refuse(at, path, fmt::format("must name a port as node.port; it is \"{}\"", text));
        auto found = m_ids.find(halves->first);
        if (found == m_ids.end())
            return m_reading.refuse(at, path,
                                    fmt::format("names the node {}, which the graph does not have", halves->first));
        if (found->second == 0)
            return m_reading.refuse(at, path,
                                    fmt::format("names the node {}, but several nodes have that name", halves->first));
        end = {found->second, halves->second};
        return true;
    }

    bool resolveId(const Json& json, const std::string& path, NodeId& id)
    {
        if (!readId(json, path, id))
            return false;
        return m_graph.find(id) != nullptr || m_reading.refuse(json, path, fmt::format("is {}, which no node has", id));
    }

    Reading& m_reading;
    std::string m_path;
    std::size_t m_depth;
    Graph m_graph;
    std::unordered_map<std::string, NodeId> m_ids; ///< by name; 0: several
};

bool GraphReader::readNode(const Json& json, const std::string& path)
{
    if (json.asObject() == nullptr)
        return m_reading.wrongKind(json, path, "an object");
    if (++m_reading.nodes > kMaxNodes)
        return m_reading.refuse(json, path, fmt::format("is one node too many: a document has at most {}", kMaxNodes));
    if (json.find("block") == nullptr)
        return m_reading.refuse(json, path + ".block", "is missing");
    Node node;
    node.block = json.find("block")->asString() != nullptr ? *json.find("block")->asString() : "";
    for (const JsonMember& member : *json.asObject())
        if (!readNodeMember(member, node, path + "." + member.key))
            return false;
    if (node.block == "group" && !node.group)
        return m_reading.refuse(json, path + ".group", "is missing");
    if (node.id == 0 && !giveId(json, path, node.id))
        return false;
    if (node.name.empty() && json.find("name") == nullptr)
        node.name = node.block;
    if (m_graph.find(node.id) != nullptr)
        return m_reading.refuse(json, path + ".id", fmt::format("is {}, which another node has", node.id));
    if (auto [known, fresh] = m_ids.emplace(node.name, node.id); !fresh)
        known->second = 0;
    m_graph.addNode(std::move(node));
    return true;
}

bool GraphReader::readNodeMember(const JsonMember& member, Node& node, const std::string& path)
{
    const Json& value = member.value;
    if (member.key == "id")
        return readId(value, path, node.id);
    if (member.key == "block")
        return readText(value, path, node.block);
    if (member.key == "name")
        return readText(value, path, node.name);
    if (member.key == "at")
        return readPair(value, path, node.place.x, node.place.y);
    if (member.key == "params")
        return readParams(value, node, path);
    if (member.key == "group" && node.block == "group") {
        Group group;
        std::string kept;
        GraphReader inner(m_reading, path + ".", m_depth + 1);
        if (!inner.readGroup(value, group, kept))
            return false;
        if (!kept.empty())
            node.extra["group"] = kept;
        node.group = std::make_shared<const Group>(std::move(group));
        return true;
    }
    node.extra[member.key] = writeJson(value, 0);
    return true;
}

/// What a parameter's value cannot hold word for word is kept beside it, sorted by name.
bool GraphReader::readParams(const Json& json, Node& node, const std::string& path)
{
    if (json.asObject() == nullptr)
        return m_reading.wrongKind(json, path, "an object");
    std::map<std::string, Json> kept;
    for (const JsonMember& member : *json.asObject()) {
        const auto value = paramFromJson(member.value);
        if (value)
            node.params[member.key] = *value;
        if (!value || paramToJson(*value) != member.value)
            kept[member.key] = member.value;
    }
    Json object;
    for (auto& [name, value] : kept)
        object.add(name, std::move(value));
    if (!kept.empty())
        node.extra["params"] = writeJson(object, 0);
    return true;
}

bool GraphReader::readWires(const Json& json)
{
    bool fine = true;
    const JsonArray* wires = array(json, "wires", fine);
    for (std::size_t i = 0; fine && i < wires->size(); ++i) {
        Wire wire;
        fine = readWire((*wires)[i], fmt::format("{}wires[{}]", m_path, i), wire);
        m_graph.wires.push_back(std::move(wire));
    }
    std::sort(m_graph.wires.begin(), m_graph.wires.end(), wireBefore);
    m_graph.wires.erase(std::unique(m_graph.wires.begin(), m_graph.wires.end()), m_graph.wires.end());
    return fine;
}

bool GraphReader::readWire(const Json& json, const std::string& path, Wire& wire)
{
    if (const std::string* text = json.asString()) {
        const auto halves = splitArrow(*text);
        if (!halves)
            return m_reading.refuse(json, path,
                                    fmt::format("must read \"node.output -> node.input\"; it is \"{}\"", *text));
        return resolve(json, path, halves->first, wire.from) && resolve(json, path, halves->second, wire.to);
    }
    const Json *from = json.find("from"), *output = json.find("output"), *to = json.find("to"),
               *input = json.find("input");
    if (from == nullptr || output == nullptr || to == nullptr || input == nullptr || json.asObject()->size() != 4)
        return m_reading.refuse(json, path, "must be a string or have the members from, output, to and input");
    return resolveId(*from, path + ".from", wire.from.node) && readText(*output, path + ".output", wire.from.port) &&
           resolveId(*to, path + ".to", wire.to.node) && readText(*input, path + ".input", wire.to.port);
}

bool GraphReader::readFrames(const Json& json)
{
    bool fine = true;
    const JsonArray* frames = array(json, "frames", fine);
    for (std::size_t i = 0; fine && i < frames->size(); ++i)
        fine = readFrame((*frames)[i], fmt::format("{}frames[{}]", m_path, i));
    return fine;
}

bool GraphReader::readFrame(const Json& json, const std::string& path)
{
    if (json.asObject() == nullptr)
        return m_reading.wrongKind(json, path, "an object");
    Frame frame;
    for (const JsonMember& member : *json.asObject()) {
        const std::string name = path + "." + member.key;
        const bool fine = member.key == "id"      ? readId(member.value, name, frame.id)
                          : member.key == "title" ? readText(member.value, name, frame.title)
                          : member.key == "at"    ? readPair(member.value, name, frame.place.x, frame.place.y)
                          : member.key == "size"  ? readPair(member.value, name, frame.width, frame.height)
                                                  : m_reading.refuse(member.value, name, "is not a member of a frame");
        if (!fine)
            return false;
    }
    if (frame.id == 0 && !giveId(json, path, frame.id))
        return false;
    if (m_graph.frames.contains(frame.id) || m_graph.find(frame.id) != nullptr)
        return m_reading.refuse(json, path + ".id", fmt::format("is {}, which a node or another frame has", frame.id));
    m_graph.nextId = std::max(m_graph.nextId, frame.id + 1);
    m_graph.frames[frame.id] = std::move(frame);
    return true;
}

bool GraphReader::readNextId(const Json& json)
{
    NodeId next = 1;
    if (const Json* member = json.find("next_id"))
        if (!readId(*member, m_path + "next_id", next, kMaxId))
            return false;
    m_graph.nextId = std::max(m_graph.nextId, next);
    return true;
}

bool GraphReader::readPromoted(const Json& json, const std::string& path, bool output, PromotedPort& port)
{
    if (const std::string* text = json.asString()) {
        const auto halves = splitArrow(*text);
        if (!halves)
            return m_reading.refuse(
                json, path,
                fmt::format("must read \"name -> node.port\" or \"node.port -> name\"; it is \"{}\"", *text));
        port.name = output ? halves->second : halves->first;
        return resolve(json, path, output ? halves->first : halves->second, port.inner);
    }
    const Json *name = json.find("name"), *node = json.find("node"), *inner = json.find("port");
    if (name == nullptr || node == nullptr || inner == nullptr || json.asObject()->size() != 3)
        return m_reading.refuse(json, path, "must be a string or have the members name, node and port");
    return readText(*name, path + ".name", port.name) && readId(*node, path + ".node", port.inner.node) &&
           readText(*inner, path + ".port", port.inner.port);
}

template <class Take>
bool GraphReader::readPromotedList(const Json& json, const char* key, bool output, Take take)
{
    bool fine = true;
    const JsonArray* list = array(json, key, fine);
    for (std::size_t i = 0; fine && i < list->size(); ++i) {
        PromotedPort port;
        fine = readPromoted((*list)[i], fmt::format("{}{}[{}]", m_path, key, i), output, port);
        take(std::move(port));
    }
    return fine;
}

bool GraphReader::readGroup(const Json& json, Group& group, std::string& kept)
{
    const std::string path = m_path.substr(0, m_path.size() - 1);
    if (json.asObject() == nullptr)
        return m_reading.wrongKind(json, path, "an object");
    if (m_depth > kMaxGroupDepth)
        return m_reading.refuse(json, path,
                                fmt::format("is nested too deep: at most {} levels of groups", kMaxGroupDepth));
    Json unknown;
    for (const JsonMember& member : *json.asObject()) {
        const std::string& key = member.key;
        if (key == "repeat" && !member.value.asInt())
            return m_reading.wrongKind(member.value, m_path + key, "a whole number");
        if ((key == "shared_weights" || key == "reversible") && !member.value.asBool())
            return m_reading.wrongKind(member.value, m_path + key, "true or false");
        if (key == "repeat")
            group.repeat = *member.value.asInt();
        else if (key == "shared_weights")
            group.sharedWeights = *member.value.asBool();
        else if (key == "reversible")
            group.reversible = *member.value.asBool();
        else if (!isGraphMember(key) && key != "inputs" && key != "outputs" && key != "params")
            unknown.add(key, member.value);
    }
    if (!unknown.isNull())
        kept = writeJson(unknown, 0);
    if (!read(json))
        return false;
    const auto addParam = [&](PromotedPort port) {
        group.params.push_back({port.name, port.inner.node, port.inner.port});
    };
    const bool fine =
        readPromotedList(json, "inputs", false, [&](PromotedPort port) { group.inputs.push_back(std::move(port)); }) &&
        readPromotedList(json, "outputs", true, [&](PromotedPort port) { group.outputs.push_back(std::move(port)); }) &&
        readPromotedList(json, "params", false, addParam);
    group.graph = std::make_shared<const Graph>(take());
    return fine;
}

} // namespace

Result<Graph> graphFromJson(const Json& json, const std::string& source)
{
    Reading reading{source, 0, {}};
    GraphReader reader(reading, "graph.", 0);
    if (json.asObject() == nullptr)
        reading.wrongKind(json, "graph", "an object");
    else if (reader.read(json))
        for (const JsonMember& member : *json.asObject())
            if (!GraphReader::isGraphMember(member.key))
                reading.refuse(member.value, "graph." + member.key, "is not a member of a graph");
    if (reading.error)
        return tl::unexpected(*reading.error);
    return reader.take();
}

} // namespace unroll
