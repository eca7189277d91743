// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace unroll::format {

void appendNumber(std::string& out, double value)
{
    constexpr double exactIntegers = 9007199254740992; // 2^53
    char digits[32];
    if (std::isnan(value)) {
        out += "NaN";
    } else if (std::isinf(value)) {
        out += value < 0 ? "-Infinity" : "Infinity";
    } else if (std::trunc(value) == value && std::fabs(value) < exactIntegers && !(value == 0 && std::signbit(value))) {
        out.append(digits, std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value)).ptr);
    } else {
        out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    }
}

std::optional<double> numberFrom(std::string_view text)
{
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc() || stop != end)
        return std::nullopt;
    return value;
}

} // namespace unroll::format
