// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/character_reader.h"

#include "core/base/number_text.h"
#include "core/base/utf8.h"

#include <fmt/format.h>

namespace unroll {

const char* unitName(TextUnit unit)
{
    switch (unit) {
    case TextUnit::Byte: return "byte";
    case TextUnit::Word: return "word";
    case TextUnit::Piece: return "token";
    case TextUnit::Character: break;
    }
    return "character";
}

CharacterReader::CharacterReader(std::string_view bytes, TextUnit unit, const TextReport& before)
    : m_bytes(bytes), m_unit(unit), m_before(before.bytes), m_report(before)
{
    m_report.bytes += static_cast<int64_t>(bytes.size());
    if (m_before > 0 || !bytes.starts_with(kByteOrderMark))
        return;
    m_report.byteOrderMark = true;
    if (unit != TextUnit::Byte)
        m_at = kByteOrderMark.size();
}

bool CharacterReader::next(char32_t& character)
{
    if (m_at >= m_bytes.size())
        return false;
    character = nextCharacter();
    ++m_report.characters;
    return true;
}

char32_t CharacterReader::nextCharacter()
{
    const size_t at = m_at;
    const char byte = m_bytes[at];
    const bool windowsLineEnd = byte == '\r' && at + 1 < m_bytes.size() && m_bytes[at + 1] == '\n';
    m_report.windowsLineEnds += windowsLineEnd;
    if (byte == '\0' && m_report.nuls++ == 0)
        m_report.firstNul = m_before + static_cast<int64_t>(at);
    if (m_unit == TextUnit::Byte) {
        ++m_at;
        return static_cast<unsigned char>(byte);
    }
    if (windowsLineEnd) {
        m_at += 2;
        return U'\n';
    }
    const DecodedCharacter decoded = decodeUtf8(m_bytes, at);
    m_at += decoded.length;
    if (!decoded.valid && m_report.replaced++ == 0)
        m_report.firstReplaced = m_before + static_cast<int64_t>(at);
    return decoded.point;
}

std::vector<std::string> TextReport::sentences(const std::string& name, TextUnit unit) const
{
    const bool asBytes = unit == TextUnit::Byte;
    std::vector<std::string> said;
    if (byteOrderMark)
        said.push_back(fmt::format("{} begins with a byte order mark: {}.", name, asBytes ? "kept" : "left out"));
    if (replaced > 0)
        said.push_back(fmt::format("{} is not UTF-8 in {}, first at byte {}: read as U+FFFD there.{}", name,
                                   counted(replaced, "place"), grouped(firstReplaced),
                                   unit == TextUnit::Piece ? "" : " To keep every byte, set unit to bytes."));
    if (windowsLineEnds > 0)
        said.push_back(fmt::format("{} has {} (CR LF): {}.", name, counted(windowsLineEnds, "Windows line end"),
                                   asBytes ? "kept" : "read as LF"));
    if (nuls > 0)
        said.push_back(fmt::format("{} contains {}, first at byte {}: kept. It may not be a text file.", name,
                                   counted(nuls, "NUL character"), grouped(firstNul)));
    return said;
}

bool looksLikeUtf16(std::string_view bytes)
{
    return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
}

} // namespace unroll
