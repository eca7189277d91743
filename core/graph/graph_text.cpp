// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph_text.h"

#include "core/graph/by_copy.h"

#include <algorithm>
#include <iterator>

namespace unroll {

namespace {

std::optional<std::pair<std::string, std::string>> splitAt(std::string_view text, std::string_view mark)
{
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos || at == 0 || at + mark.size() >= text.size())
        return std::nullopt;
    return std::pair(std::string(text.substr(0, at)), std::string(text.substr(at + mark.size())));
}

constexpr std::pair<ByCopy::Rule, const char*> kRules[] = {
    {ByCopy::Rule::Every, "every"}, {ByCopy::Rule::First, "first"}, {ByCopy::Rule::Last, "last"}};

Json plainToJson(const PlainValue& value)
{
    return std::visit([](const auto& held) { return Json(held); }, value);
}

Json byCopyToJson(const ByCopy& values)
{
    const auto rule =
        std::find_if(std::begin(kRules), std::end(kRules), [&](const auto& each) { return each.first == values.rule; });
    if (rule != std::end(kRules) && values.values.size() == 2)
        return JsonObject{{rule->second, values.count},
                          {"value", plainToJson(values.values[0])},
                          {"else", plainToJson(values.values[1])}};
    Json list{JsonArray()};
    for (const PlainValue& value : values.values)
        list.push(plainToJson(value));
    return list;
}

std::optional<PlainValue> plainFromJson(const Json* json)
{
    if (json == nullptr)
        return std::nullopt;
    if (const bool* truth = json->asBool())
        return *truth;
    if (const std::string* text = json->asString())
        return *text;
    if (auto whole = json->asInt())
        return *whole;
    if (auto real = json->asReal())
        return *real;
    return std::nullopt;
}

std::optional<ParamValue> listFromJson(const JsonArray& list)
{
    ByCopy values;
    for (const Json& each : list) {
        const auto value = plainFromJson(&each);
        if (!value)
            return std::nullopt;
        values.values.push_back(*value);
    }
    return values.values.empty() ? std::nullopt : std::optional<ParamValue>(std::move(values));
}

std::optional<ParamValue> ruleFromJson(const Json& json)
{
    const auto value = plainFromJson(json.find("value")), other = plainFromJson(json.find("else"));
    if (json.asObject()->size() != 3 || !value || !other)
        return std::nullopt;
    for (const auto& [rule, word] : kRules)
        if (const Json* count = json.find(word); count != nullptr && count->asInt())
            return ByCopy{rule, *count->asInt(), {*value, *other}};
    return std::nullopt;
}

} // namespace

std::optional<std::pair<std::string, std::string>> splitArrow(std::string_view text)
{
    auto halves = splitAt(text, kArrow);
    if (!halves || halves->second.find(kArrow) != std::string::npos)
        return std::nullopt;
    return halves;
}

std::optional<std::pair<std::string, std::string>> splitDot(std::string_view text)
{
    return splitAt(text, ".");
}

Json paramToJson(const ParamValue& value)
{
    const auto plain = asPlain(value);
    return plain ? plainToJson(*plain) : byCopyToJson(std::get<ByCopy>(value));
}

std::optional<ParamValue> paramFromJson(const Json& json)
{
    if (const auto value = plainFromJson(&json))
        return asParam(*value);
    if (const JsonArray* list = json.asArray())
        return listFromJson(*list);
    return json.asObject() != nullptr ? ruleFromJson(json) : std::nullopt;
}

} // namespace unroll
