// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>
#include <string>

namespace unroll {

/// So many digits behind a sign: "+0.12", "-3e-05". A zero has no sign, whichever it is: "0".
inline std::string signedNumber(double value, int digits)
{
    return value == 0 ? "0" : fmt::format("{:+.{}g}", value, digits);
}

/// So many decimals: "-0.12". What is a zero when it is rounded to them has no sign: "0.00".
inline std::string fixedNumber(double value, int decimals)
{
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos)
        text.erase(0, 1);
    return text;
}

} // namespace unroll
