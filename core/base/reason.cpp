// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/reason.h"

#include <system_error>

namespace unroll {

std::string reasonOf(int errnoValue)
{
    return std::generic_category().message(errnoValue);
}

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

} // namespace unroll
