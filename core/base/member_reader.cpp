// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/member_reader.h"

#include <limits>

namespace unroll {

std::optional<double> realOfJson(const Json& json)
{
    if (const auto real = json.asReal())
        return real;
    const std::string* word = json.asString();
    if (word == nullptr)
        return {};
    if (*word == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    if (*word == "Infinity")
        return infinite;
    return *word == "-Infinity" ? std::optional(-infinite) : std::nullopt;
}

Json wordsJson(const std::vector<std::string>& texts)
{
    Json list{JsonArray{}};
    for (const std::string& text : texts)
        list.push(text);
    return list;
}

void MemberReader::wrong(const char* name) const
{
    if (m_fault.empty())
        m_fault = name;
}

std::string MemberReader::text(const char* name) const
{
    const Json* found = find(name);
    if (found == nullptr)
        return {};
    if (const std::string* text = found->asString())
        return *text;
    wrong(name);
    return {};
}

bool MemberReader::flag(const char* name, bool usual) const
{
    const Json* found = find(name);
    if (found == nullptr)
        return usual;
    if (const bool* flag = found->asBool())
        return *flag;
    wrong(name);
    return usual;
}

std::int64_t MemberReader::whole(const char* name, std::int64_t usual) const
{
    const Json* found = find(name);
    if (found == nullptr)
        return usual;
    if (const auto number = found->asInt())
        return *number;
    wrong(name);
    return usual;
}

std::uint64_t MemberReader::natural(const char* name, std::uint64_t usual) const
{
    const Json* found = find(name);
    if (found == nullptr)
        return usual;
    if (const auto number = found->asUnsigned())
        return *number;
    wrong(name);
    return usual;
}

double MemberReader::real(const char* name, double usual) const
{
    const Json* found = find(name);
    if (found == nullptr)
        return usual;
    if (const auto number = realOfJson(*found))
        return *number;
    wrong(name);
    return usual;
}

std::optional<double> MemberReader::maybe(const char* name) const
{
    return has(name) ? std::optional(real(name)) : std::nullopt;
}

const JsonArray* MemberReader::array(const char* name) const
{
    const Json* found = find(name);
    if (found != nullptr && found->asArray() == nullptr)
        wrong(name);
    return found != nullptr ? found->asArray() : nullptr;
}

std::vector<std::string> MemberReader::texts(const char* name) const
{
    std::vector<std::string> found;
    if (const JsonArray* all = array(name))
        for (const Json& each : *all) {
            if (each.asString() == nullptr)
                wrong(name);
            else
                found.push_back(*each.asString());
        }
    return found;
}

std::vector<float> MemberReader::floats(const char* name) const
{
    const Json* place = find(name);
    auto found = place != nullptr ? m_blocks.floats(*place) : std::vector<float>{};
    if (!found)
        wrong(name);
    return found.value_or(std::vector<float>{});
}

std::vector<double> MemberReader::doubles(const char* name) const
{
    const Json* place = find(name);
    auto found = place != nullptr ? m_blocks.doubles(*place) : std::vector<double>{};
    if (!found)
        wrong(name);
    return found.value_or(std::vector<double>{});
}

std::vector<std::int64_t> MemberReader::wholes(const char* name) const
{
    const Json* place = find(name);
    auto found = place != nullptr ? m_blocks.wholes(*place) : std::vector<std::int64_t>{};
    if (!found)
        wrong(name);
    return found.value_or(std::vector<std::int64_t>{});
}

std::string MemberReader::raw(const char* name) const
{
    const Json* place = find(name);
    const auto found = place != nullptr ? m_blocks.raw(*place) : std::string_view{};
    if (!found)
        wrong(name);
    return std::string(found.value_or(std::string_view{}));
}

} // namespace unroll
