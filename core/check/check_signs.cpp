// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the data that are negative where times are asked for, most often because normalisation made them so.
#include "core/check/level.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

/// Features of a wire or, once traced back, of the data.
struct Features {
    const Item* item; ///< that the wire comes from
    std::string port;
    std::int64_t at = 0, count = 0;
};

/// What the blocks have copied them from, as far as these say so; features of the data are given back as they are.
std::vector<Features> tracedBack(const Level& level, const Features& features)
{
    const Item& item = *features.item;
    if (item.isData())
        return {features};
    std::vector<Features> found;
    if (item.node->group || item.spec == nullptr || !item.spec->infer || item.mistaken || item.loop)
        return found;
    InferScope scope(item.params, item.checked.inputs, nullptr, {level.result.steps, level.result.carried});
    item.spec->infer(scope);
    for (const SameFeatures& same : scope.same()) {
        const auto read = item.checked.inputs.find(same.from);
        const Link* link = linkInto(level, item, same.from);
        if (!same.copied || same.to != features.port || read == item.checked.inputs.end() || link == nullptr)
            continue;
        const std::int64_t count = same.count < 0 ? read->second.width : same.count;
        const std::int64_t first = std::max(features.at, same.toAt);
        const std::int64_t end = std::min(features.at + features.count, same.toAt + count);
        if (first >= end)
            continue;
        const Features before{&level.items[link->from], link->wire->from.port, first - same.toAt + same.fromAt,
                              end - first};
        const std::vector<Features> origins = tracedBack(level, before);
        found.insert(found.end(), origins.begin(), origins.end());
    }
    return found;
}

/// The list with one more name.
std::string longer(const std::string& list, const std::string& name)
{
    return list.find_first_not_of(" \t") == std::string::npos ? name : list + ", " + name;
}

/// Leaves the column as it is in the file. Nothing where it is negative there too.
std::optional<Fix> leavingAsInFile(const Level& level, const Item& data, const InputFacts& column)
{
    const std::string& param = data.spec->unscaledParam;
    const auto list = data.params.find(param);
    if (param.empty() || column.leastInFile < 0 || list == data.params.end())
        return std::nullopt;
    return level.paramFix(data, param, longer(std::get<std::string>(list->second), column.name));
}

void reportNegative(Level& level, Item& item, const PortSpec& port, const Item& data, const InputFacts& column)
{
    const std::string name = fmt::format("the column {} of {}", column.name, data.node->name);
    const std::optional<Fix> fix = leavingAsInFile(level, data, column);
    const std::string found =
        column.leastInFile < 0
            ? fmt::format("{} is negative in the file, down to {:.4g}", name, column.leastInFile)
            : fmt::format("normalised, {} is negative, down to {:.4g}; in the file it is at least {:.4g}", name,
                          column.least, column.leastInFile);
    level
        .report(Severity::Warning, &item, port.name, "negative-input",
                fmt::format("{}.{} takes numbers that are not negative: {}", item.node->name, port.name, found))
        .fix = fix;
}

void checkPort(Level& level, Item& item, const PortSpec& port)
{
    const Link* link = linkInto(level, item, port.name);
    const auto shape = item.checked.inputs.find(port.name);
    if (link == nullptr || shape == item.checked.inputs.end())
        return;
    const Features whole{&level.items[link->from], link->wire->from.port, 0, shape->second.width};
    for (const Features& origin : tracedBack(level, whole)) {
        const auto& facts = origin.item->facts;
        if (!facts || std::ssize(facts->columns) < origin.at + origin.count)
            continue;
        for (std::int64_t feature = origin.at; feature < origin.at + origin.count; ++feature)
            if (const InputFacts& column = facts->columns[static_cast<std::size_t>(feature)]; column.least < 0)
                return reportNegative(level, item, port, *origin.item, column); // one at a time
    }
}

} // namespace

void checkSigns(Level& level)
{
    for (Item& item : level.items)
        if (!item.node->group && item.spec != nullptr && !item.mistaken)
            for (const PortSpec& port : item.inputs())
                if (port.notNegative)
                    checkPort(level, item, port);
}

} // namespace unroll
