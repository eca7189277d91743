// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace unroll {

/// A text from a file or a network for a terminal: what would steer it (escape and other control characters of both
/// sets, marks that turn the direction of writing) is spelt out, "\x1b" or "\u202e", and so are bytes that are no
/// UTF-8. Line ends and tabs stay; JSON stays JSON.
std::string visibleText(std::string_view text);

/// How many bytes at the end of the text may be the beginning of a character that goes on: 0 to 3.
std::size_t unfinishedBytes(std::string_view text);

} // namespace unroll
