// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

namespace unroll {

namespace {

/// Shortest text that reads back equal; never an integer's text, so that a real stays a real.
std::string realText(double value)
{
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text;
}

/// Out of range with a negative exponent means: too small for a double, and zero is the nearest one.
bool isUnderflow(const std::string& text)
{
    return text.find("e-") != std::string::npos || text.find("E-") != std::string::npos || text.find("0.") <= 1;
}

} // namespace

Json::Json() = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(bool value) : m_value(value) {}
Json::Json(int value) : Json(static_cast<std::int64_t>(value)) {}
Json::Json(std::string value) : m_value(std::move(value)) {}
Json::Json(const char* value) : m_value(std::string(value)) {}
Json::Json(std::int64_t value) : m_value(Number{std::to_string(value)}) {}
Json::Json(std::uint64_t value) : m_value(Number{std::to_string(value)}) {}
Json::Json(JsonArray value) : m_value(std::move(value)) {}
Json::Json(JsonObject value) : m_value(std::move(value)) {}

Json::Json(double value)
{
    if (std::isnan(value))
        m_value = std::string("NaN");
    else if (std::isinf(value))
        m_value = std::string(value > 0 ? "Infinity" : "-Infinity");
    else
        m_value = Number{realText(value)};
}

Json Json::number(std::string text)
{
    Json json;
    json.m_value = Number{std::move(text)};
    return json;
}

bool Json::isNull() const
{
    return std::holds_alternative<std::nullptr_t>(m_value);
}
bool Json::isNumber() const
{
    return std::holds_alternative<Number>(m_value);
}
const bool* Json::asBool() const
{
    return std::get_if<bool>(&m_value);
}
const std::string* Json::asString() const
{
    return std::get_if<std::string>(&m_value);
}
const JsonArray* Json::asArray() const
{
    return std::get_if<JsonArray>(&m_value);
}
const JsonObject* Json::asObject() const
{
    return std::get_if<JsonObject>(&m_value);
}

namespace {

/// The whole number that the text is; nothing for 1.5, 1e3 or what does not fit.
template <class T>
std::optional<T> wholeNumber(const Json::Number* number)
{
    if (number == nullptr)
        return std::nullopt;
    T value = 0;
    const char* end = number->text.data() + number->text.size();
    const auto [stop, fault] = std::from_chars(number->text.data(), end, value);
    if (fault != std::errc() || stop != end)
        return std::nullopt;
    return value;
}

} // namespace

std::optional<std::int64_t> Json::asInt() const
{
    return wholeNumber<std::int64_t>(std::get_if<Number>(&m_value));
}

std::optional<std::uint64_t> Json::asUnsigned() const
{
    return wholeNumber<std::uint64_t>(std::get_if<Number>(&m_value));
}

std::optional<double> Json::asReal() const
{
    const auto* number = std::get_if<Number>(&m_value);
    if (number == nullptr)
        return std::nullopt;
    double value = 0;
    const char* end = number->text.data() + number->text.size();
    const auto [stop, fault] = std::from_chars(number->text.data(), end, value);
    if (fault == std::errc::result_out_of_range && isUnderflow(number->text))
        return number->text.front() == '-' ? -0.0 : 0.0;
    if (fault != std::errc() || stop != end || !std::isfinite(value))
        return std::nullopt;
    return value;
}

const Json* Json::find(std::string_view key) const
{
    if (const JsonObject* object = asObject())
        for (const JsonMember& member : *object)
            if (member.key == key)
                return &member.value;
    return nullptr;
}

void Json::add(std::string key, Json value)
{
    if (isNull())
        m_value = JsonObject();
    std::get<JsonObject>(m_value).push_back({std::move(key), std::move(value)});
}

void Json::push(Json value)
{
    if (isNull())
        m_value = JsonArray();
    std::get<JsonArray>(m_value).push_back(std::move(value));
}

const char* Json::kind() const
{
    static constexpr const char* kWords[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
    return kWords[m_value.index()];
}

bool Json::operator==(const Json& other) const
{
    return m_value == other.m_value;
}

} // namespace unroll
