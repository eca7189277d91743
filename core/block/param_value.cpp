// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/spec.h"
#include "core/graph/by_copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace unroll {

namespace {

constexpr double kExactWhole = 9007199254740992.0; ///< 2^53: beyond it reals skip whole numbers

const char* typeText(ParamType type)
{
    switch (type) {
    case ParamType::Bool: return "true or false";
    case ParamType::Int: return "a whole number";
    case ParamType::Real: return "a number";
    default: return "a string";
    }
}

std::string plainText(const PlainValue& value)
{
    return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

std::string shown(const ParamValue& value)
{
    return std::holds_alternative<std::string>(value) ? '"' + std::get<std::string>(value) + '"' : paramText(value);
}

std::string choiceList(const ParamSpec& spec)
{
    std::vector<std::string> values;
    for (const ChoiceSpec& choice : spec.choices)
        values.push_back(choice.value);
    return fmt::format("{}", fmt::join(values, ", "));
}

std::string boundFault(const ParamSpec& spec, double number, const std::string& text)
{
    if (!std::isfinite(number))
        return fmt::format("{} must be a finite number; it is {}", spec.name, text);
    if (spec.minimum && number < *spec.minimum)
        return fmt::format("{} must be at least {}; it is {}", spec.name, *spec.minimum, text);
    if (spec.maximum && number > *spec.maximum)
        return fmt::format("{} must be at most {}; it is {}", spec.name, *spec.maximum, text);
    return "";
}

} // namespace

std::string paramText(const ParamValue& value)
{
    if (const auto plain = asPlain(value))
        return plainText(*plain);
    const ByCopy& values = std::get<ByCopy>(value);
    if (values.rule != ByCopy::Rule::List && values.values.size() == 2)
        return fmt::format("{} {} {} else {}", plainText(values.values[0]), copyRuleWord(values.rule), values.count,
                           plainText(values.values[1]));
    std::vector<std::string> each;
    for (const PlainValue& one : values.values)
        each.push_back(plainText(one));
    return each.size() == 1 ? each.front() + "," : fmt::format("{}", fmt::join(each, ", "));
}

const char* copyRuleWord(ByCopy::Rule rule)
{
    switch (rule) {
    case ByCopy::Rule::Every: return "every";
    case ByCopy::Rule::First: return "first";
    case ByCopy::Rule::Last: return "last";
    case ByCopy::Rule::List: break;
    }
    return "";
}

std::optional<ParamValue> asParamOf(ParamType type, const ParamValue& value)
{
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    switch (type) {
    case ParamType::Bool: return std::holds_alternative<bool>(value) ? std::optional(value) : std::nullopt;
    case ParamType::Int:
        if (real != nullptr && std::floor(*real) == *real && std::abs(*real) <= kExactWhole)
            return static_cast<std::int64_t>(*real);
        return whole != nullptr ? std::optional(value) : std::nullopt;
    case ParamType::Real:
        if (whole != nullptr)
            return static_cast<double>(*whole);
        return real != nullptr ? std::optional(value) : std::nullopt;
    default: return std::holds_alternative<std::string>(value) ? std::optional(value) : std::nullopt;
    }
}

std::string paramFault(const ParamSpec& spec, const ParamValue& value)
{
    const auto typed = asParamOf(spec.type, value);
    if (!typed)
        return fmt::format("{} must be {}; it is {}", spec.name, typeText(spec.type), shown(value));
    if (const auto* whole = std::get_if<std::int64_t>(&*typed))
        return boundFault(spec, static_cast<double>(*whole), paramText(*typed));
    if (const auto* real = std::get_if<double>(&*typed))
        return boundFault(spec, *real, paramText(*typed));
    if (spec.type == ParamType::Choice && spec.choice(std::get<std::string>(*typed)) == nullptr)
        return fmt::format("{} must be one of {}; it is {}", spec.name, choiceList(spec), shown(*typed));
    return "";
}

bool mayDifferByCopy(ParamType type)
{
    return type != ParamType::Text && type != ParamType::Path;
}

std::string nodeParamFault(const ParamSpec& spec, const ParamValue& value)
{
    const auto* values = std::get_if<ByCopy>(&value);
    if (values == nullptr)
        return paramFault(spec, value);
    if (!mayDifferByCopy(spec.type))
        return fmt::format("{} cannot differ by copy: it is a text", spec.name);
    for (const PlainValue& each : values->values)
        if (std::string fault = paramFault(spec, asParam(each)); !fault.empty())
            return fault;
    return "";
}

} // namespace unroll
