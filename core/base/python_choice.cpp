// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/python_choice.h"

#include <cstdlib>

namespace unroll {

std::string chosenPython(const std::filesystem::path& near)
{
    if (const char* named = std::getenv("UNROLL_PYTHON"); named != nullptr && *named != '\0')
        return named;
    std::error_code error;
    return std::filesystem::exists(near, error) ? near.string() : "python3";
}

} // namespace unroll
