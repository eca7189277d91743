// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/param_text.h"

#include "app/cli/terminal.h"
#include "core/graph/graph_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <variant>

namespace unroll::cli {

std::string rangeText(const ParamSpec& param)
{
    if (!param.choices.empty()) {
        std::vector<std::string> values;
        for (const ChoiceSpec& choice : param.choices)
            values.push_back(choice.value);
        return fmt::format("{}", fmt::join(values, " | "));
    }
    if (param.minimum && param.maximum)
        return fmt::format("{} to {}", *param.minimum, *param.maximum);
    if (param.minimum)
        return fmt::format("at least {}", *param.minimum);
    return param.maximum ? fmt::format("at most {}", *param.maximum) : std::string();
}

std::string defaultText(const ParamSpec& param)
{
    const std::string text = paramText(param.defaultValue);
    return text.empty() ? "''" : text;
}

void heading(const std::string& text)
{
    say("");
    say(text, Colour::Bold);
}

void sayTitled(const std::string& title, const Rows& rows)
{
    if (rows.empty())
        return;
    heading(title);
    sayTable(rows);
}

void sayParams(const std::string& title, const std::vector<ParamSpec>& params)
{
    Rows rows, choices;
    for (const ParamSpec& param : params) {
        rows.push_back({"  " + param.name, defaultText(param), rangeText(param), param.help});
        for (const ChoiceSpec& choice : param.choices)
            choices.push_back({"  " + param.name, choice.value, choice.explanation});
    }
    sayTitled(title, rows);
    sayTitled("Choices", choices);
}

Json conditionsJson(const std::vector<Condition>& when)
{
    Json json{JsonObject{}};
    for (const Condition& condition : when) {
        Json choices{JsonArray{}};
        for (const std::string& choice : condition.choices)
            choices.push(choice);
        json.add(condition.param, choices);
    }
    return json;
}

namespace {

const char* typeWord(ParamType type)
{
    switch (type) {
    case ParamType::Bool: return "bool";
    case ParamType::Int: return "int";
    case ParamType::Real: return "real";
    case ParamType::Choice: return "choice";
    case ParamType::Path: return "path";
    default: return "text";
    }
}

/// Whether a search should take steps by a factor: bounds three decades apart, from the default where the lower one is
/// 0; no upper one is far.
bool isByFactor(const ParamSpec& param)
{
    constexpr double kDecades = 1e3;
    const bool isNumber = param.type == ParamType::Int || param.type == ParamType::Real;
    if (!isNumber || !param.minimum || *param.minimum < 0)
        return false;
    const double standard = param.type == ParamType::Int
                                ? static_cast<double>(std::get<std::int64_t>(param.defaultValue))
                                : std::get<double>(param.defaultValue);
    const double least = *param.minimum > 0 ? *param.minimum : standard;
    return least > 0 && param.maximum.value_or(least * kDecades) >= least * kDecades;
}

} // namespace

Json paramsJson(const std::vector<ParamSpec>& params)
{
    Json list{JsonArray{}};
    for (const ParamSpec& param : params) {
        Json each{JsonObject{}};
        each.add("name", param.name);
        each.add("default", paramToJson(param.defaultValue));
        each.add("type", typeWord(param.type));
        if (param.minimum)
            each.add("min", *param.minimum);
        if (param.maximum)
            each.add("max", *param.maximum);
        if (isByFactor(param))
            each.add("log", true);
        each.add("range", rangeText(param));
        each.add("help", param.help);
        Json choices{JsonObject{}};
        for (const ChoiceSpec& choice : param.choices)
            choices.add(choice.value, choice.explanation);
        if (!param.choices.empty())
            each.add("choices", choices);
        if (!param.when.empty())
            each.add("when", conditionsJson(param.when));
        list.push(each);
    }
    return list;
}

} // namespace unroll::cli
