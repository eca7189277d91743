// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/field_reader.h"

#include <fmt/format.h>

namespace unroll {

bool FieldReader::has(const char* key) const
{
    const Json* found = m_object.find(key);
    return found != nullptr && !found->isNull();
}

std::string FieldReader::text(const char* key)
{
    const Json* found = m_object.find(key);
    const std::string* value = found != nullptr ? found->asString() : nullptr;
    if (value == nullptr)
        blame(key, "a text");
    return value != nullptr ? *value : std::string();
}

std::int64_t FieldReader::whole(const char* key)
{
    const Json* found = m_object.find(key);
    const auto value = found != nullptr ? found->asInt() : std::nullopt;
    if (!value)
        blame(key, "a whole number");
    return value.value_or(0);
}

double FieldReader::real(const char* key)
{
    const Json* found = m_object.find(key);
    const auto value = found != nullptr ? found->asReal() : std::nullopt;
    if (!value)
        blame(key, "a number");
    return value.value_or(0);
}

const JsonArray& FieldReader::array(const char* key)
{
    static const JsonArray none;
    const Json* found = m_object.find(key);
    const JsonArray* value = found != nullptr ? found->asArray() : nullptr;
    if (value == nullptr)
        blame(key, "an array");
    return value != nullptr ? *value : none;
}

std::optional<std::int64_t> FieldReader::maybeWhole(const char* key)
{
    return has(key) ? std::optional(whole(key)) : std::nullopt;
}

std::optional<double> FieldReader::maybeReal(const char* key)
{
    return has(key) ? std::optional(real(key)) : std::nullopt;
}

std::string FieldReader::maybeText(const char* key)
{
    return has(key) ? text(key) : std::string();
}

bool FieldReader::flag(const char* key)
{
    const Json* found = m_object.find(key);
    const bool* value = found != nullptr ? found->asBool() : nullptr;
    if (value == nullptr && has(key))
        blame(key, "true or false");
    return value != nullptr && *value;
}

void FieldReader::blame(const char* key, const char* wanted)
{
    if (m_fault.empty())
        m_fault = fmt::format("{}{} must be {}", m_of, key, wanted);
}

} // namespace unroll
