// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace unroll::format {

/// Length of the UTF-8 sequence at the start of `text` (1 to 4), or 0 when it is cut short, overlong, a surrogate or
/// above U+10FFFF.
std::size_t utf8SequenceLength(std::string_view text);

bool isUtf8(std::string_view text);

/// Writes one code point (below 0x110000, no surrogate) as 1 to 4 bytes at `out`; gives their number.
std::size_t encodeUtf8(char32_t codePoint, char* out);

/// Appends `text` as a JSON string in quotes. Bytes that are not UTF-8 become U+FFFD, so the result is always valid
/// JSON.
void appendJsonString(std::string& out, std::string_view text);

} // namespace unroll::format
