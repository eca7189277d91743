// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/check.h"

#include "core/check/level.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace unroll {

void checkLevel(Level& level)
{
    indexNodes(level);
    checkParams(level);
    indexWires(level);
    checkNames(level);
    if (level.isTop())
        readSources(level);
    orderNodes(level);
    orderLoops(level);
    checkFreeInputs(level);
    inferShapes(level);
    checkLoops(level);
    addCosts(level);
    checkUnused(level);
}

namespace {

bool saysTheSame(const Diagnostic& a, const Diagnostic& b)
{
    return a.severity == b.severity && a.group == b.group && a.node == b.node && a.where == b.where &&
           a.code == b.code && a.sentence == b.sentence;
}

/// "copy 2", "copies 2, 4".
template <class Numbers>
std::string copiesText(const Numbers& copies)
{
    constexpr std::size_t kMostListed = 12;
    const auto listed = static_cast<std::ptrdiff_t>(std::min(copies.size(), kMostListed));
    return fmt::format("{} {}{}", copies.size() == 1 ? "copy" : "copies",
                       fmt::join(copies.begin(), std::next(copies.begin(), listed), ", "),
                       copies.size() > kMostListed ? ", ..." : "");
}

/// What is found in several copies is said once, with their numbers unless it is found in all.
void joinDiagnostics(const Item& item, std::vector<Diagnostic>& into)
{
    std::vector<std::pair<Diagnostic, std::set<std::int64_t>>> found;
    std::size_t copies = 0;
    for (const AlikeCopies& alike : item.inside) {
        copies += alike.copies.size();
        for (const Diagnostic& each : alike.level->result.diagnostics) {
            auto known = item.inside.size() == 1 ? found.end()
                                                 : std::find_if(found.begin(), found.end(), [&](const auto& other) {
                                                       return saysTheSame(other.first, each);
                                                   });
            if (known == found.end())
                known = found.insert(found.end(), {each, {}});
            known->second.insert(alike.copies.begin(), alike.copies.end());
        }
    }
    for (auto& [diagnostic, where] : found) {
        if (where.size() < copies)
            diagnostic.sentence += fmt::format(" ({})", copiesText(where));
        into.push_back(std::move(diagnostic));
    }
}

void finishInside(CheckedGraph& result, Item& item)
{
    for (const AlikeCopies& alike : item.inside)
        finishLevel(*alike.level);
    joinDiagnostics(item, result.diagnostics);
    std::map<std::int64_t, std::shared_ptr<const CheckedGraph>> byCopy;
    for (const AlikeCopies& alike : item.inside) {
        const auto inner = std::make_shared<const CheckedGraph>(std::move(alike.level->result));
        for (const std::int64_t copy : alike.copies)
            byCopy[copy] = inner;
    }
    item.checked.inner = byCopy.begin()->second;
    for (const auto& [copy, inner] : byCopy)
        if (item.inside.size() > 1)
            item.checked.copies.push_back(inner);
}

} // namespace

void finishLevel(Level& level)
{
    CheckedGraph& result = level.result;
    for (Item& item : level.items) {
        if (!item.inside.empty())
            finishInside(result, item);
        result.nodes.emplace_hint(result.nodes.end(), item.node->id, std::move(item.checked));
    }
    result.order.reserve(level.order.size());
    for (const std::size_t index : level.order)
        result.order.push_back(level.items[index].node->id);
    for (const auto& loop : level.loops) {
        std::vector<NodeId>& ids = result.loops.emplace_back();
        for (const std::size_t index : loop)
            ids.push_back(level.items[index].node->id);
    }
    std::stable_sort(result.diagnostics.begin(), result.diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.severity < b.severity; });
}

std::vector<CheckedNode::Copies> CheckedNode::unlikeCopies() const
{
    std::vector<Copies> unlike;
    if (inner)
        unlike.push_back({inner.get(), {}});
    for (std::size_t i = 0; i < copies.size(); ++i) {
        auto known = std::find_if(unlike.begin(), unlike.end(),
                                  [&](const Copies& each) { return each.inner == copies[i].get(); });
        if (known == unlike.end())
            known = unlike.insert(unlike.end(), {copies[i].get(), {}});
        known->numbers.push_back(static_cast<std::int64_t>(i) + 1);
    }
    return unlike;
}

std::string CheckedNode::Copies::text() const
{
    return numbers.empty() ? "" : copiesText(numbers);
}

const Shape* CheckedGraph::shapeAt(const PortRef& output) const
{
    auto node = nodes.find(output.node);
    if (node == nodes.end())
        return nullptr;
    auto shape = node->second.outputs.find(output.port);
    return shape == node->second.outputs.end() ? nullptr : &shape->second;
}

CheckedGraph check(const Graph& graph, const BlockRegistry& registry, const CheckOptions& options)
{
    Level level{graph, registry, options};
    checkLevel(level);
    checkEnds(level);
    checkCausality(level);
    checkMasks(level);
    checkSigns(level);
    checkSize(level);
    finishLevel(level);
    return std::move(level.result);
}

} // namespace unroll
