// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quoted_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace unroll {

static bool isPlain(const std::string& text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

std::string quotedJson(const std::string& text)
{
    if (isPlain(text))
        return '"' + text + '"';
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace unroll
