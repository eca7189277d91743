// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace unroll {

/// `text` as a JSON string, in quotes; bytes that are not UTF-8 become U+FFFD.
std::string quotedJson(const std::string& text);

} // namespace unroll
