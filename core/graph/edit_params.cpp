// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace unroll::edits {

namespace {

bool isFinite(const ParamValue& value)
{
    const auto fine = [](const auto& held) {
        const auto* real = std::get_if<double>(&held);
        return real == nullptr || std::isfinite(*real);
    };
    const auto* values = std::get_if<ByCopy>(&value);
    return values == nullptr ? fine(value) : std::all_of(values->values.begin(), values->values.end(), fine);
}

} // namespace

GraphEdit setParam(NodeId id, std::string param, ParamValue value)
{
    return {"Set " + param,
            [id, param, value](const Graph& before) -> Result<Graph> {
                const Node* old = before.find(id);
                if (old == nullptr)
                    return tl::unexpected(noSuchNode(id));
                if (!isFinite(value))
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
