// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/by_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace unroll {

ParamValue asParam(const PlainValue& value)
{
    return std::visit([](const auto& held) { return ParamValue(held); }, value);
}

std::optional<PlainValue> asPlain(const ParamValue& value)
{
    if (const auto* truth = std::get_if<bool>(&value))
        return *truth;
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return *whole;
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? std::nullopt : std::optional<PlainValue>(*text);
}

PlainValue valueIn(const ByCopy& values, std::int64_t copy, std::int64_t copies)
{
    if (values.values.empty())
        return false;
    const auto at = [&](std::int64_t place) {
        const auto last = static_cast<std::int64_t>(values.values.size()) - 1;
        return values.values[static_cast<std::size_t>(std::clamp<std::int64_t>(place, 0, last))];
    };
    switch (values.rule) {
    case ByCopy::Rule::Every: return at(values.count > 0 && copy % values.count == 0 ? 0 : 1);
    case ByCopy::Rule::First: return at(copy <= values.count ? 0 : 1);
    case ByCopy::Rule::Last: return at(copies - copy < values.count ? 0 : 1);
    case ByCopy::Rule::List: break;
    }
    return at(copy - 1);
}

ParamValue inFirstCopy(const ParamValue& value)
{
    const auto* values = std::get_if<ByCopy>(&value);
    return values == nullptr ? value : asParam(valueIn(*values, 1, std::numeric_limits<std::int64_t>::max()));
}

ByCopy listOf(const ByCopy& values, std::int64_t copies)
{
    ByCopy list;
    for (std::int64_t copy = 1; copy <= copies; ++copy)
        list.values.push_back(valueIn(values, copy, copies));
    return list;
}

std::string copiesFault(const ByCopy& values, std::int64_t copies)
{
    const auto size = static_cast<std::int64_t>(values.values.size());
    if (values.rule != ByCopy::Rule::List) {
        if (size != 2)
            return fmt::format("has {} values in place of two, for some of the {} copies and for the others", size,
                               copies);
        return values.count >= 1 ? "" : fmt::format("must count at least 1 of the {} copies", copies);
    }
    if (size == copies)
        return "";
    return fmt::format("has {} value{} for the {} copies", size, size == 1 ? "" : "s", copies);
}

} // namespace unroll
