// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/costs_over_steps.h"

#include "core/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace unroll {

namespace {

CostCurve curveOf(const CheckedNode& node, const Params& params, const std::vector<std::int64_t>& lengths)
{
    CostCurve curve;
    for (const std::int64_t steps : lengths) {
        const CostScope scope{params, node.inputs, node.outputs, steps};
        curve.flops.push_back(node.spec->costOf(scope).forwardFlops * static_cast<double>(steps));
        if (!node.spec->scanCost)
            continue;
        const ScanCost scan = node.spec->scanCost(scope);
        curve.operations.push_back(scan.operations);
        curve.depth.push_back(scan.depth);
    }
    return curve;
}

/// One that costs as an earlier one does is named with it.
void addCurve(std::vector<CostCurve>& curves, CostCurve curve)
{
    const auto same =
        std::find_if(curves.begin(), curves.end(), [&](const CostCurve& each) { return each.costsAs(curve); });
    if (same != curves.end())
        same->choice += ", " + curve.choice;
    else
        curves.push_back(std::move(curve));
}

/// The copy that a path begins with, "2.mru", which is then taken off it; 1 where it names none.
std::int64_t takeCopy(std::string& path)
{
    std::int64_t copy = 1;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), copy);
    if (error != std::errc() || end == path.data() + path.size() || *end != '.')
        return 1;
    path.erase(0, static_cast<std::size_t>(end - path.data()) + 1);
    return copy;
}

} // namespace

bool CostCurve::costsAs(const CostCurve& other) const
{
    return flops == other.flops && operations == other.operations && depth == other.depth;
}

std::vector<std::int64_t> usualLengths()
{
    constexpr std::int64_t shortest = 16, longest = 4096;
    std::vector<std::int64_t> lengths;
    for (std::int64_t steps = shortest; steps <= longest; steps *= 2)
        lengths.push_back(steps);
    return lengths;
}

Result<CostsOverSteps> costsOverSteps(const CheckedNode& node, const std::string& param,
                                      const std::vector<std::int64_t>& lengths)
{
    if (node.spec == nullptr || !node.spec->cost || node.inner)
        return fail("only a block that computes has costs of its own");
    CostsOverSteps costs{lengths, {}, {}};
    if (node.spec->scanCost)
        costs.operation = node.spec->scanCost({node.params, node.inputs, node.outputs, 1}).operation;
    if (param.empty()) {
        costs.curves.push_back(curveOf(node, node.params, lengths));
        return costs;
    }
    const ParamSpec* spec = node.spec->param(param);
    if (spec == nullptr || spec->choices.empty())
        return fail(fmt::format("{} has no parameter {} that is one of several words", node.spec->title, param));
    for (const ChoiceSpec& choice : spec->choices) {
        Params params = node.params;
        params[param] = choice.value;
        CostCurve curve = curveOf(node, params, lengths);
        curve.choice = choice.value;
        addCurve(costs.curves, std::move(curve));
    }
    return costs;
}

const CheckedNode* checkedNodeAt(const CheckedGraph& checked, const Graph& graph, const std::string& path)
{
    const std::size_t dot = path.find('.');
    const Node* node = graph.findByName(path.substr(0, dot));
    const auto found = node == nullptr ? checked.nodes.end() : checked.nodes.find(node->id);
    if (found == checked.nodes.end())
        return nullptr;
    if (dot == std::string::npos)
        return &found->second;
    if (!node->group || !found->second.inner)
        return nullptr;
    std::string rest = path.substr(dot + 1);
    const std::int64_t copy = takeCopy(rest);
    if (copy < 1 || copy > node->group->repeat)
        return nullptr;
    return checkedNodeAt(found->second.inCopy(copy), *node->group->graph, rest);
}

} // namespace unroll
