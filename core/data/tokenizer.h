// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/character_reader.h"
#include "core/data/vocabulary.h"

#include <unordered_map>

namespace unroll {

/// Between text and class indices. Bytes: class = byte, always 256. Characters: the alphabet given, in its order (a
/// text dataset sorts by code point). A class fits 16 bits.
class Tokenizer final : public Vocabulary {
public:
    static constexpr size_t kMaxClasses = 65'536;

    static Tokenizer ofBytes();
    /// Distinct characters, 1 to 65,536 of them.
    static Tokenizer ofCharacters(std::u32string alphabet);
    /// The same from UTF-8 that somebody else wrote. Errors: bad UTF-8, a character that occurs twice, none, too many.
    static Result<Tokenizer> ofAlphabet(std::string_view alphabet);

    TextUnit unit() const { return m_unit; }
    int64_t classes() const override;
    /// Class of a character or byte; -1 where the alphabet lacks it.
    int32_t classOf(char32_t character) const;

    /// Tokens of valid or invalid UTF-8 (read as CharacterReader does). The error names the first character that is
    /// missing.
    Result<std::vector<int32_t>> encode(std::string_view text) const override;
    /// Bytes that are not UTF-8 come out as U+FFFD.
    std::string decode(const std::vector<int32_t>& tokens) const override;
    std::string written(const std::vector<int32_t>& tokens, bool begins) const override;

    /// The character itself, or a sign for what would not show (space, line end, controls).
    std::vector<std::string> alphabet() const override;

private:
    explicit Tokenizer(TextUnit unit) : m_unit(unit) {}

    TextUnit m_unit;
    std::u32string m_alphabet;
    std::vector<int32_t> m_classOfAscii; // 128 entries: nearly every lookup
    std::unordered_map<char32_t, int32_t> m_classOf;
};

/// 'é' (U+00E9): a character as error messages show it.
std::string characterName(char32_t character);

} // namespace unroll
