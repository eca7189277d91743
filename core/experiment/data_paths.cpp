// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/data_paths.h"

#include "core/graph/edit.h"

#include <filesystem>
#include <system_error>

namespace unroll {
namespace {

namespace fs = std::filesystem;

/// Where a folder really lies: `..` of a path leads away from there, not from the names on the way.
fs::path realFolder(const fs::path& folder)
{
    std::error_code error;
    const fs::path whole = fs::absolute(folder.empty() ? fs::path(".") : folder, error);
    const fs::path real = fs::weakly_canonical(whole, error);
    return error ? whole.lexically_normal() : real;
}

using ChangePath = std::function<std::string(const std::string&)>;

/// From one folder to the other.
struct Move {
    fs::path from;
    fs::path to; ///< as realFolder

    std::string operator()(const std::string& path) const
    {
        if (path.starts_with('~') || fs::path(path).is_absolute())
            return path;
        const fs::path named = from / path;
        const fs::path file = realFolder(named.parent_path()) / named.filename();
        const bool apart = file.relative_path().begin() == file.relative_path().end() ||
                           to.relative_path().begin() == to.relative_path().end() ||
                           *file.relative_path().begin() != *to.relative_path().begin();
        return (apart ? file : file.lexically_relative(to)).string();
    }
};

/// A parameter of a group is one that it took over from a node inside.
bool isPath(const Node& node, const BlockRegistry& registry, const std::string& name)
{
    if (node.group)
        for (const PromotedParam& promoted : node.group->params)
            if (const Node* inner = node.group->graph->find(promoted.node); promoted.name == name && inner != nullptr)
                return isPath(*inner, registry, promoted.param);
    const BlockSpec* spec = registry.find(node.block);
    const ParamSpec* param = spec == nullptr ? nullptr : spec->param(name);
    return param != nullptr && param->type == ParamType::Path;
}

Graph moved(const Graph& graph, const BlockRegistry& registry, const ChangePath& move);

Graph withMovedParams(Graph graph, const Node& node, const BlockRegistry& registry, const ChangePath& move)
{
    for (const auto& [name, value] : node.params) {
        const auto* path = std::get_if<std::string>(&value);
        if (path == nullptr || path->empty() || !isPath(node, registry, name))
            continue;
        if (const std::string there = move(*path); there != *path)
            graph = edits::setParam(node.id, name, there).apply(graph).value_or(graph);
    }
    return graph;
}

/// Shared as before where nothing in the group has moved.
std::shared_ptr<const Group> moved(const std::shared_ptr<const Group>& group, const BlockRegistry& registry,
                                   const ChangePath& move)
{
    Graph inner = moved(*group->graph, registry, move);
    if (inner == *group->graph)
        return group;
    Group result = *group;
    result.graph = std::make_shared<const Graph>(std::move(inner));
    return std::make_shared<const Group>(std::move(result));
}

Graph moved(const Graph& graph, const BlockRegistry& registry, const ChangePath& move)
{
    Graph result = graph;
    for (const auto& [id, node] : graph.nodes) {
        result = withMovedParams(std::move(result), *node, registry, move);
        if (!node->group)
            continue;
        Node whole = *result.find(id);
        whole.group = moved(node->group, registry, move);
        if (whole.group != node->group)
            result.addNode(std::move(whole));
    }
    return result;
}

} // namespace

Graph moveDataPaths(const Graph& graph, const BlockRegistry& registry, const std::string& from, const std::string& to)
{
    const Move move{realFolder(from), realFolder(to)};
    return move.from == move.to ? graph : moved(graph, registry, move);
}

Graph changeDataPaths(const Graph& graph, const BlockRegistry& registry,
                      const std::function<std::string(const std::string& path)>& change)
{
    return moved(graph, registry, change);
}

} // namespace unroll
