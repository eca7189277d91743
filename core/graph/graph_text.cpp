// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph_text.h"

namespace unroll {

namespace {

std::optional<std::pair<std::string, std::string>> splitAt(std::string_view text, std::string_view mark)
{
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos || at == 0 || at + mark.size() >= text.size())
        return std::nullopt;
    return std::pair(std::string(text.substr(0, at)), std::string(text.substr(at + mark.size())));
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
    return std::visit([](const auto& held) { return Json(held); }, value);
}

std::optional<ParamValue> paramFromJson(const Json& json)
{
    if (const bool* truth = json.asBool())
        return *truth;
    if (const std::string* text = json.asString())
        return *text;
    if (auto whole = json.asInt())
        return *whole;
    if (auto real = json.asReal())
        return *real;
    return std::nullopt;
}

} // namespace unroll
