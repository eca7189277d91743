// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"

#include <fmt/format.h>

#include <cmath>

namespace unroll::edits {

GraphEdit setParam(NodeId id, std::string param, ParamValue value)
{
    return {"Set " + param,
            [id, param, value](const Graph& before) -> Result<Graph> {
                const Node* old = before.find(id);
                if (old == nullptr)
                    return tl::unexpected(noSuchNode(id));
                if (const auto* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real))
                    return fail(fmt::format("{} must be a finite number", param));
                Node node = *old;
                node.params[param] = value;
                forgetWritten(node, param);
                Graph graph = before;
                replaceNode(graph, std::move(node));
                return graph;
            },
            fmt::format("set/{}/{}", id, param),
            {}};
}

GraphEdit resetParam(NodeId id, std::string param)
{
    return {"Reset " + param,
            [id, param](const Graph& before) -> Result<Graph> {
                const Node* old = before.find(id);
                if (old == nullptr)
                    return tl::unexpected(noSuchNode(id));
                Node node = *old;
                node.params.erase(param);
                forgetWritten(node, param);
                Graph graph = before;
                replaceNode(graph, std::move(node));
                return graph;
            },
            "",
            {}};
}

} // namespace unroll::edits
