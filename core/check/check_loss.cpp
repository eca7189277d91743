// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

GraphEdit removal(const Item& item)
{
    return edits::removeNodes({item.node->id});
}

/// The only node that is one, such as "data node"; further ones are errors, whose fix removes them. 0: there is none.
template <class IsOne>
NodeId onlyOne(Level& level, const std::string& code, const std::string& what, IsOne isOne)
{
    NodeId only = 0;
    for (Item& item : level.items) {
        if (!isOne(item))
            continue;
        if (only == 0) {
            only = item.node->id;
            continue;
        }
        const std::string& first = level.graph.find(only)->name;
        level.error(&item, "", code, fmt::format("a graph has one {}: {} and {} are two", what, first, item.node->name))
            .fix = level.fix("Remove " + item.node->name, removal(item));
    }
    return only;
}

void checkData(Level& level)
{
    level.result.source = onlyOne(level, "several-data", "data node", [](const Item& item) { return item.isData(); });
    if (level.result.source == 0)
        level.error(nullptr, "", "no-data", "there is no data: add a data block");
}

bool isTargets(const PortSpec& port)
{
    return port.type == PortType::Targets || port.type == PortType::TargetValues;
}

/// Whether the block's targets are of a kind that the data gives. Without data any kind may still come.
bool takesTargetsOf(const BlockSpec& loss, const BlockSpec* data)
{
    return data == nullptr || std::all_of(loss.inputs.begin(), loss.inputs.end(), [&](const PortSpec& input) {
               return !isTargets(input) ||
                      std::any_of(data->outputs.begin(), data->outputs.end(),
                                  [&](const PortSpec& output) { return output.type == input.type; });
           });
}

/// Losses that the data of this graph can be learned with.
std::vector<const BlockSpec*> fittingLosses(const Level& level)
{
    const auto source = level.indexOf(level.result.source);
    const BlockSpec* data = source ? level.items[*source].spec : nullptr;
    std::vector<const BlockSpec*> found;
    for (const BlockSpec* spec : level.registry.all())
        if (spec->givesLoss() && takesTargetsOf(*spec, data))
            found.push_back(spec);
    return found;
}

/// Right of everything.
Place placeBehind(const Graph& graph)
{
    Place place;
    for (const auto& [id, node] : graph.nodes)
        if (node->place.x + 240 > place.x)
            place = {node->place.x + 240, node->place.y};
    return place;
}

void reportNoLoss(Level& level)
{
    const auto fitting = fittingLosses(level);
    std::string sentence = "there is no loss to train";
    for (std::size_t i = 0; i < fitting.size(); ++i)
        sentence += (i == 0 ? ": add " : " or ") + fitting[i]->title;
    Diagnostic& diagnostic = level.error(nullptr, "", "no-loss", std::move(sentence));
    if (fitting.size() == 1)
        diagnostic.fix = level.fix("Add " + fitting.front()->title,
                                   edits::addNode({.block = fitting.front()->id, .place = placeBehind(level.graph)}));
}

void checkLosses(Level& level)
{
    level.result.loss = onlyOne(level, "several-losses", "loss", [](const Item& item) { return item.givesLoss(); });
    if (level.result.loss == 0)
        reportNoLoss(level);
}

/// Items from which wires lead to one of `ends`.
std::vector<bool> itemsBefore(const Level& level, std::vector<std::size_t> ends)
{
    std::vector<bool> reached(level.items.size(), false);
    for (const std::size_t end : ends)
        reached[end] = true;
    while (!ends.empty()) {
        const Item& item = level.items[ends.back()];
        ends.pop_back();
        for (const std::size_t link : item.in)
            if (const std::size_t from = level.links[link].from; !reached[from]) {
                reached[from] = true;
                ends.push_back(from);
            }
    }
    return reached;
}

std::vector<std::size_t> endsOf(const Level& level)
{
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < level.items.size(); ++i)
        if (level.isTop() && level.items[i].givesLoss())
            ends.push_back(i);
    if (level.outputs != nullptr)
        for (const PromotedPort& port : *level.outputs)
            if (auto index = level.indexOf(port.inner.node))
                ends.push_back(*index);
    return ends;
}

} // namespace

void checkEnds(Level& level)
{
    checkData(level);
    checkLosses(level);
}

void checkUnused(Level& level)
{
    const std::vector<std::size_t> ends = endsOf(level);
    if (ends.empty())
        return; // said already: there is no loss, or the group has no output
    const std::vector<bool> used = itemsBefore(level, ends);
    for (std::size_t i = 0; i < level.items.size(); ++i) {
        if (used[i])
            continue;
        Item& item = level.items[i];
        Diagnostic& diagnostic =
            level.report(Severity::Warning, &item, "", "unused",
                         fmt::format("{} does not affect {}, so it is not trained", item.node->name,
                                     level.isTop() ? "the loss" : "any output of its group"));
        if (!item.isData())
            diagnostic.fix = level.fix("Remove " + item.node->name, removal(item));
    }
}

} // namespace unroll
