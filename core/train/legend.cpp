// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/legend.h"

#include "core/data/dataset.h"

#include <fmt/format.h>

#include <set>

namespace unroll {
namespace {

constexpr const char *kAlphabet = "alphabet", *kTargetAlphabet = "target_alphabet", *kColumns = "columns",
                     *kTargetColumns = "target_columns", *kLabels = "labels";

/// Symbols that occur twice tell nothing.
std::vector<std::string> unique(std::vector<std::string> symbols)
{
    return std::set(symbols.begin(), symbols.end()).size() == symbols.size() ? std::move(symbols)
                                                                             : std::vector<std::string>{};
}

/// The text of each class where text and class go both ways, else its label.
std::vector<std::string> symbolsOf(const Dataset& data)
{
    std::vector<std::string> symbols, labels = data.alphabet();
    for (std::int32_t token = 0; token < data.classes(); ++token) {
        const std::string text = data.decode({token});
        const auto back = data.encode(text);
        const bool itself = back && *back == std::vector<std::int32_t>{token};
        const auto place = static_cast<std::size_t>(token);
        if (!itself && place >= labels.size())
            return {};
        symbols.push_back(itself ? text : labels[place]);
    }
    return unique(std::move(symbols));
}

/// The columns' names, or numbers where they have none.
std::vector<std::string> columnsOf(const std::vector<ColumnScale>& scales, const char* kind, std::int64_t count)
{
    std::vector<std::string> names;
    for (const ColumnScale& scale : scales)
        names.push_back(scale.name);
    for (std::int64_t i = 1; scales.empty() && i <= count; ++i)
        names.push_back(fmt::format("{} {}", kind, i));
    return unique(std::move(names));
}

std::string listText(const std::vector<std::string>& symbols)
{
    Json list{JsonArray{}};
    for (const std::string& symbol : symbols)
        list.push(symbol);
    return writeJson(list, 0);
}

std::vector<std::string> listAt(const std::map<std::string, std::string>& metadata, const char* key)
{
    const auto text = metadata.find(key);
    if (text == metadata.end())
        return {};
    const auto json = readJson(text->second, key);
    if (!json || json->asArray() == nullptr)
        return {};
    std::vector<std::string> symbols;
    for (const Json& entry : *json->asArray()) {
        if (entry.asString() == nullptr)
            return {};
        symbols.push_back(*entry.asString());
    }
    return unique(std::move(symbols));
}

Legend withLabels(Legend legend, const std::vector<std::string>& labels)
{
    legend.labels = !labels.empty();
    if (legend.labels)
        legend.asked = unique(labels);
    return legend;
}

} // namespace

Legend legendOf(const Dataset& data)
{
    Legend legend;
    if (data.classes() > 0) {
        legend.read = legend.asked = symbolsOf(data);
    } else {
        const NumberFacts facts = data.numbers();
        const SeriesScales scales = data.scales();
        legend = {true, columnsOf(scales.inputs, "feature", facts.inputs),
                  columnsOf(scales.targets, "target", facts.targets)};
    }
    return withLabels(std::move(legend), data.labels());
}

Legend legendOf(const RunEnvironment& environment)
{
    Legend legend{true, columnsOf(environment.scales.inputs, "", 0), columnsOf(environment.scales.targets, "", 0)};
    if (environment.classes > 0)
        legend = {false, unique(environment.alphabet), unique(environment.alphabet)};
    return withLabels(std::move(legend), environment.labels);
}

void addLegend(const Legend& legend, std::map<std::string, std::string>& metadata)
{
    if (!legend.read.empty())
        metadata[legend.numbers ? kColumns : kAlphabet] = listText(legend.read);
    const bool columns = legend.numbers && !legend.labels;
    if (!legend.asked.empty() && (legend.labels || columns || legend.asked != legend.read))
        metadata[legend.labels ? kLabels : columns ? kTargetColumns : kTargetAlphabet] = listText(legend.asked);
}

Legend legendFrom(const std::map<std::string, std::string>& metadata)
{
    Legend legend{false, listAt(metadata, kAlphabet), listAt(metadata, kTargetAlphabet)};
    if (metadata.count(kTargetAlphabet) == 0)
        legend.asked = legend.read;
    const std::vector<std::string> labels = listAt(metadata, kLabels);
    if (legend.said())
        return withLabels(std::move(legend), labels);
    legend = {true, listAt(metadata, kColumns), listAt(metadata, kTargetColumns)};
    legend = withLabels(std::move(legend), labels);
    return legend.said() ? legend : Legend{};
}

} // namespace unroll
