// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/array_names.h"

#include "core/base/utf8.h"

namespace unroll {

namespace {

constexpr std::size_t kLongest = 200; ///< bytes of a name, before what makes it unique

std::string harmless(std::string_view text)
{
    std::string name;
    for (std::size_t at = 0; at < text.size();) {
        const DecodedCharacter character = decodeUtf8(text, at);
        if (name.size() + character.length > kLongest)
            break;
        const bool isControl = character.point < 0x20 || character.point == 0x7f;
        if (!character.valid || isControl || character.point == '/' || (character.point == '.' && name.ends_with('.')))
            name += '_';
        else
            name += text.substr(at, character.length);
        at += character.length;
    }
    return name;
}

} // namespace

std::string ArrayNames::take(std::string_view panel, std::string_view name, std::string_view otherwise)
{
    std::string wanted(panel);
    if (!wanted.empty())
        wanted += '.';
    wanted += name.empty() ? otherwise : name;
    wanted = harmless(wanted);
    std::string taken = wanted;
    for (int count = 2; !m_taken.insert(taken).second; ++count)
        taken = wanted + "_" + std::to_string(count);
    return taken;
}

} // namespace unroll
