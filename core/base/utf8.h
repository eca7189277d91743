// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace unroll {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

struct DecodedCharacter {
    char32_t point = kReplacementCharacter;
    size_t length = 1; // bytes it takes in the text
    bool valid = false;
};

/// The character that begins at bytes[at], at < size. Ill-formed input (a stray continuation, an overlong form, a
/// surrogate, beyond U+10FFFF, cut short) gives U+FFFD for each maximal ill-formed part, as Unicode chapter 3 (table
/// 3-8) recommends and browsers do.
DecodedCharacter decodeUtf8(std::string_view bytes, size_t at);

/// Appends the UTF-8 form of a code point below 0x110000.
void appendUtf8(std::string& text, char32_t point);

/// Every byte belongs to a well-formed character.
bool isUtf8(std::string_view bytes);

/// `bytes` with every ill-formed part replaced by U+FFFD.
std::string repairedUtf8(std::string_view bytes);

} // namespace unroll
