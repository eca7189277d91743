// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"

namespace unroll {

namespace {

struct Lead {
    size_t length;                       // bytes of the whole character; 0 = cannot begin one
    unsigned char secondLow, secondHigh; // Unicode table 3-7: what the second byte may be
    unsigned char bits;                  // payload of the first byte
};

Lead leadOf(unsigned char byte)
{
    const auto low = [&](unsigned mask) { return static_cast<unsigned char>(byte & mask); };
    if (byte < 0x80)
        return {1, 0, 0, byte};
    if (byte < 0xC2 || byte > 0xF4)
        return {0, 0, 0, 0};
    if (byte < 0xE0)
        return {2, 0x80, 0xBF, low(0x1F)};
    if (byte < 0xF0)
        return {3, static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
                static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF), low(0x0F)};
    return {4, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
            static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF), low(0x07)};
}

} // namespace

DecodedCharacter decodeUtf8(std::string_view bytes, size_t at)
{
    const Lead lead = leadOf(static_cast<unsigned char>(bytes[at]));
    if (lead.length == 0)
        return {};
    char32_t point = lead.bits;
    for (size_t i = 1; i < lead.length; ++i) {
        const unsigned char low = i == 1 ? lead.secondLow : 0x80;
        const unsigned char high = i == 1 ? lead.secondHigh : 0xBF;
        const unsigned char byte = at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0;
        if (byte < low || byte > high)
            return {kReplacementCharacter, i, false};
        point = point << 6 | (byte & 0x3Fu);
    }
    return {point, lead.length, true};
}

void appendUtf8(std::string& text, char32_t point)
{
    const auto continuation = [&](int shift) { text += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += static_cast<char>(0xC0 | point >> 6);
        continuation(0);
    } else if (point < 0x10000) {
        text += static_cast<char>(0xE0 | point >> 12);
        continuation(6);
        continuation(0);
    } else {
        text += static_cast<char>(0xF0 | point >> 18);
        continuation(12);
        continuation(6);
        continuation(0);
    }
}

bool isUtf8(std::string_view bytes)
{
    for (size_t at = 0; at < bytes.size();) {
        const DecodedCharacter character = decodeUtf8(bytes, at);
        if (!character.valid)
            return false;
        at += character.length;
    }
    return true;
}

std::string repairedUtf8(std::string_view bytes)
{
    std::string text;
    for (size_t at = 0; at < bytes.size();) {
        const DecodedCharacter character = decodeUtf8(bytes, at);
        appendUtf8(text, character.point);
        at += character.length;
    }
    return text;
}

} // namespace unroll
