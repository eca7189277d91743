// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/visible.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {
namespace {

bool steers(char32_t point)
{
    const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    const bool direction = point == 0x061C || point == 0x200E || point == 0x200F ||
                           (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
    return direction || (control && point != U'\n' && point != U'\t');
}

} // namespace

std::string visibleText(std::string_view text)
{
    std::string shown;
    for (size_t at = 0; at < text.size();) {
        const DecodedCharacter character = decodeUtf8(text, at);
        if (!character.valid)
            for (size_t i = 0; i < character.length; ++i)
                shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at + i]));
        else if (steers(character.point))
            shown += character.point < 0x20 ? fmt::format("\\x{:02x}", static_cast<uint32_t>(character.point))
                                            : fmt::format("\\u{:04x}", static_cast<uint32_t>(character.point));
        else
            shown += text.substr(at, character.length);
        at += character.length;
    }
    return shown;
}

std::size_t unfinishedBytes(std::string_view text)
{
    for (size_t length = 1; length <= std::min<size_t>(3, text.size()); ++length) {
        const auto byte = static_cast<unsigned char>(text[text.size() - length]);
        if ((byte & 0xC0) == 0x80)
            continue; // goes on with what is before it
        const size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
        return whole > length && byte <= 0xF4 ? length : 0;
    }
    return 0;
}

} // namespace unroll
