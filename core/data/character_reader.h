// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF"; // of UTF-8

/// Of one step. Pieces: tokens of a vocabulary that was made elsewhere.
enum class TextUnit { Character, Byte, Word, Piece };
const char* unitName(TextUnit unit); // "character", "byte", "word", "token"

/// What was met on the way through a text. Offsets are in bytes, from 0.
struct TextReport {
    int64_t bytes = 0;
    int64_t characters = 0; // units delivered
    bool byteOrderMark = false;
    int64_t replaced = 0, firstReplaced = -1; // ill-formed UTF-8
    int64_t windowsLineEnds = 0;              // CR LF
    int64_t nuls = 0, firstNul = -1;

    /// One plain sentence for each thing a user should know, each beginning with `name`. `unit` decides what was done
    /// about it.
    std::vector<std::string> sentences(const std::string& name, TextUnit unit) const;
};

/// Walks through a text. As characters: UTF-8, with a byte order mark left out, CR LF read as LF, and every ill-formed
/// part read as U+FFFD; words are made of these. As bytes: every byte, unchanged. The text must outlive the reader.
class CharacterReader {
public:
    CharacterReader(std::string_view bytes, TextUnit unit) : CharacterReader(bytes, unit, {}) {}
    /// A piece of a text, behind pieces with this report; it goes on counting.
    CharacterReader(std::string_view bytes, TextUnit unit, const TextReport& before);

    /// False at the end; the report is then complete.
    bool next(char32_t& character);
    const TextReport& report() const { return m_report; }

private:
    char32_t nextCharacter();

    std::string_view m_bytes;
    TextUnit m_unit;
    size_t m_at = 0;
    int64_t m_before = 0; // bytes
    TextReport m_report;
};

/// Whether the text begins with a UTF-16 byte order mark: as UTF-8 it would be one long string of replacements.
bool looksLikeUtf16(std::string_view bytes);

} // namespace unroll
