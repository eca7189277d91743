// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/utf8.h"

#include <fmt/format.h>

namespace unroll::format {
namespace {

bool isContinuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

// Smallest code point that needs `length` bytes: below it the sequence is overlong.
constexpr char32_t smallestOf(std::size_t length)
{
    return length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
}

std::size_t lengthFromLead(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead < 0xe0)
        return 2;
    if (lead >= 0xe0 && lead < 0xf0)
        return 3;
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

void appendEscaped(std::string& out, char c)
{
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
}

} // namespace

std::size_t utf8SequenceLength(std::string_view text)
{
    const std::size_t length = text.empty() ? 0 : lengthFromLead(static_cast<unsigned char>(text[0]));
    if (length < 2)
        return length;
    if (text.size() < length)
        return 0;
    char32_t codePoint = static_cast<unsigned char>(text[0]) & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if (!isContinuation(static_cast<unsigned char>(text[i])))
            return 0;
        codePoint = codePoint << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
    }
    const bool surrogate = codePoint >= 0xd800 && codePoint < 0xe000;
    return codePoint < smallestOf(length) || surrogate || codePoint > 0x10ffff ? 0 : length;
}

bool isUtf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = utf8SequenceLength(text);
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

std::size_t encodeUtf8(char32_t codePoint, char* out)
{
    if (codePoint < 0x80) {
        out[0] = static_cast<char>(codePoint);
        return 1;
    }
    const std::size_t length = codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    for (std::size_t i = length - 1; i > 0; --i, codePoint >>= 6)
        out[i] = static_cast<char>(0x80 | (codePoint & 0x3f));
    out[0] = static_cast<char>((0xf00U >> length & 0xffU) | codePoint);
    return length;
}

void appendJsonString(std::string& out, std::string_view text)
{
    out += '"';
    while (!text.empty()) {
        const std::size_t length = utf8SequenceLength(text);
        if (length == 1)
            appendEscaped(out, text[0]);
        else if (length == 0)
            out += "\xef\xbf\xbd";
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
}

} // namespace unroll::format
