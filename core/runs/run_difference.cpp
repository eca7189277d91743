// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_difference.h"

#include "core/experiment/data_paths.h"
#include "core/runs/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace unroll {
namespace {

using Text = std::optional<std::string>;

/// Two graphs of one place in two experiments, and what differs there.
class Comparison {
public:
    Comparison(const BlockRegistry& registry, std::vector<RunDifference>& found) : m_registry(registry), m_found(found)
    {}

    void add(const std::string& place, const Text& first, const Text& second)
    {
        if (first != second)
            m_found.push_back({place, first, second});
    }

    void graphs(const std::string& prefix, const Graph& first, const Graph& second)
    {
        std::map<NodeId, NodeId> counterpart = sameNodes(first, second);
        std::set<NodeId> known;
        for (const auto& [id, node] : first.nodes) {
            const auto other = counterpart.find(id);
            if (other == counterpart.end()) {
                add(prefix + node->name, blockText(*node), {});
                continue;
            }
            known.insert(other->second);
            nodes(prefix, *node, *second.find(other->second));
        }
        for (const auto& [id, node] : second.nodes)
            if (!known.contains(id))
                add(prefix + node->name, {}, blockText(*node));
        wires(prefix, first, second, counterpart);
    }

private:
    /// By name, then by id where the block is the same: that one was renamed.
    static std::map<NodeId, NodeId> sameNodes(const Graph& first, const Graph& second)
    {
        std::map<NodeId, NodeId> same;
        std::set<NodeId> taken;
        for (const auto& [id, node] : first.nodes)
            if (const Node* other = second.findByName(node->name)) {
                same[id] = other->id;
                taken.insert(other->id);
            }
        for (const auto& [id, node] : first.nodes)
            if (const Node* other = second.find(id);
                !same.contains(id) && other != nullptr && !taken.contains(id) && other->block == node->block)
                same[id] = id;
        return same;
    }

    std::string blockText(const Node& node) const
    {
        const BlockSpec* spec = m_registry.find(node.block);
        return node.group ? "group" : spec != nullptr ? spec->title : node.block;
    }

    void nodes(const std::string& prefix, const Node& first, const Node& second)
    {
        const std::string place = prefix + first.name;
        add(place + " (name)", first.name, second.name);
        add(place + " (block)", blockText(first), blockText(second));
        params(place, first, second);
        if (first.group && second.group)
            groups(place, *first.group, *second.group);
        for (const auto& [key, json] : first.extra)
            add(place + '.' + key, json, extraOf(second, key));
        for (const auto& [key, json] : second.extra)
            if (!first.extra.contains(key))
                add(place + '.' + key, {}, json);
    }

    static Text extraOf(const Node& node, const std::string& key)
    {
        const auto found = node.extra.find(key);
        return found == node.extra.end() ? Text() : Text(found->second);
    }

    /// In the order of the spec; of a block that is not known in that of names.
    void params(const std::string& place, const Node& first, const Node& second)
    {
        const Params left = complete(first), right = complete(second);
        std::vector<std::string> names;
        const auto take = [&names](const std::string& name) {
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
        };
        for (const Node* node : {&first, &second})
            if (const BlockSpec* spec = m_registry.find(node->block))
                for (const ParamSpec& param : spec->params)
                    take(param.name);
        for (const Params* all : {&left, &right})
            for (const auto& [name, value] : *all)
                take(name);
        for (const std::string& name : names)
            add(place + '.' + name, textOf(left, name), textOf(right, name));
    }

    Params complete(const Node& node) const
    {
        const BlockSpec* spec = m_registry.find(node.block);
        if (spec == nullptr || node.group)
            return node.params;
        Params params = spec->withDefaults(node.params);
        for (const auto& [name, value] : node.params)
            if (std::holds_alternative<ByCopy>(value))
                params[name] = value;
        return params;
    }

    static Text textOf(const Params& params, const std::string& name)
    {
        const auto found = params.find(name);
        return found == params.end() ? Text() : Text(paramText(found->second));
    }

    void groups(const std::string& place, const Group& first, const Group& second)
    {
        add(place + ".repeat", std::to_string(first.repeat), std::to_string(second.repeat));
        add(place + " (shared weights)", paramText(first.sharedWeights), paramText(second.sharedWeights));
        add(place + " (reversible)", paramText(first.reversible), paramText(second.reversible));
        add(place + " (inputs)", portsText(first, first.inputs), portsText(second, second.inputs));
        add(place + " (outputs)", portsText(first, first.outputs), portsText(second, second.outputs));
        add(place + " (parameters shown)", paramsText(first), paramsText(second));
        graphs(place + '.', *first.graph, *second.graph);
    }

    static std::string nameIn(const Graph& graph, NodeId id)
    {
        const Node* node = graph.find(id);
        return node == nullptr ? "?" : node->name;
    }

    static std::string portsText(const Group& group, const std::vector<PromotedPort>& ports)
    {
        std::string text;
        for (const PromotedPort& port : ports)
            text += fmt::format("{}{}: {}.{}", text.empty() ? "" : ", ", port.name,
                                nameIn(*group.graph, port.inner.node), port.inner.port);
        return text;
    }

    static std::string paramsText(const Group& group)
    {
        std::string text;
        for (const PromotedParam& param : group.params)
            text += fmt::format("{}{}: {}.{}", text.empty() ? "" : ", ", param.name, nameIn(*group.graph, param.node),
                                param.param);
        return text;
    }

    /// At the inputs of nodes that both have: a node that one lacks tells of its own.
    void wires(const std::string& prefix, const Graph& first, const Graph& second,
               const std::map<NodeId, NodeId>& counterpart)
    {
        const auto source = [](const Graph& graph, const PortRef& input) {
            const Wire* wire = graph.wireInto(input);
            return wire == nullptr ? Text() : Text(nameIn(graph, wire->from.node) + '.' + wire->from.port);
        };
        const auto isSame = [&](const Wire* left, const Wire* right) {
            if (left == nullptr || right == nullptr)
                return left == right;
            const auto from = counterpart.find(left->from.node);
            return from != counterpart.end() && from->second == right->from.node && left->from.port == right->from.port;
        };
        for (const auto& [id, other] : counterpart) {
            std::set<std::string> ports;
            for (const Wire& wire : first.wires)
                if (wire.to.node == id)
                    ports.insert(wire.to.port);
            for (const Wire& wire : second.wires)
                if (wire.to.node == other)
                    ports.insert(wire.to.port);
            for (const std::string& port : ports)
                if (!isSame(first.wireInto({id, port}), second.wireInto({other, port})))
                    m_found.push_back({fmt::format("{}{}.{} (wire from)", prefix, nameIn(first, id), port),
                                       source(first, {id, port}), source(second, {other, port})});
        }
    }

    const BlockRegistry& m_registry;
    std::vector<RunDifference>& m_found;
};

Text known(const std::string& text)
{
    return text.empty() ? Text() : Text(text);
}

} // namespace

Result<RunSettings> readRunSettings(const std::filesystem::path& run)
{
    auto folder = RunFolder::open(run);
    if (!folder)
        return tl::unexpected(folder.error());
    return RunSettings{folder->experiment(), folder->environment()};
}

std::vector<RunDifference> differencesOf(const RunSettings& first, const RunSettings& second,
                                         const BlockRegistry& registry)
{
    std::vector<RunDifference> found;
    Comparison compare(registry, found);
    const Experiment &left = first.experiment, &right = second.experiment;
    compare.add("title", known(left.title), known(right.title));
    compare.add("seed", std::to_string(left.seed), std::to_string(right.seed));
    for (const ParamSpec& spec : trainSettingSpecs())
        compare.add("training." + spec.name, paramText(trainSetting(left.training, spec.name)),
                    paramText(trainSetting(right.training, spec.name)));
    compare.graphs("", left.graph, moveDataPaths(right.graph, registry, right.folder, left.folder));
    const RunEnvironment &was = first.environment, &is = second.environment;
    compare.add("data", known(was.data), known(is.data));
    compare.add("data (fingerprint)", known(was.dataHash), known(is.dataHash));
    compare.add("device (trained on)", known(deviceText(was.device, was.threads)),
                known(deviceText(is.device, is.threads)));
    compare.add("products (trained with)", known(was.products), known(is.products));
    compare.add("Unroll (version)", known(was.version), known(is.version));
    compare.add("torch (version)", known(was.torch), known(is.torch));
    return found;
}

} // namespace unroll
