// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tokenizer.h"

#include "core/base/number_text.h"
#include "core/base/utf8.h"

#include <cassert>
#include <fmt/format.h>
#include <unordered_set>

namespace unroll {

namespace {

constexpr char32_t kAscii = 128;

bool isControl(char32_t character)
{
    return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

std::string labelOf(char32_t character)
{
    if (character == U' ')
        return "\u2423"; // open box
    if (character == U'\n')
        return "\u21B5"; // return arrow
    if (character == U'\t')
        return "\u21E5"; // tab arrow
    if (isControl(character))
        return fmt::format("\\x{:02X}", static_cast<uint32_t>(character));
    std::string label;
    appendUtf8(label, character);
    return label;
}

} // namespace

Tokenizer Tokenizer::ofBytes()
{
    return Tokenizer(TextUnit::Byte);
}

Tokenizer Tokenizer::ofCharacters(std::u32string alphabet)
{
    assert(!alphabet.empty() && alphabet.size() <= kMaxClasses);
    Tokenizer tokenizer(TextUnit::Character);
    tokenizer.m_classOfAscii.assign(kAscii, -1);
    for (size_t i = 0; i < alphabet.size(); ++i) {
        const auto index = static_cast<int32_t>(i);
        if (alphabet[i] < kAscii)
            tokenizer.m_classOfAscii[alphabet[i]] = index;
        else
            tokenizer.m_classOf.emplace(alphabet[i], index);
    }
    tokenizer.m_alphabet = std::move(alphabet);
    return tokenizer;
}

Result<Tokenizer> Tokenizer::ofAlphabet(std::string_view alphabet)
{
    std::u32string characters;
    std::unordered_set<char32_t> seen;
    for (size_t at = 0; at < alphabet.size();) {
        const DecodedCharacter character = decodeUtf8(alphabet, at);
        if (!character.valid)
            return fail("is not UTF-8", fmt::format("alphabet, byte {}", at));
        if (!seen.insert(character.point).second)
            return fail(fmt::format("{} occurs twice", characterName(character.point)), "alphabet");
        characters += character.point;
        at += character.length;
    }
    if (characters.empty())
        return fail("is empty", "alphabet");
    if (characters.size() > kMaxClasses)
        return fail(fmt::format("has {} characters; the limit is {}", grouped(static_cast<int64_t>(characters.size())),
                                grouped(kMaxClasses)),
                    "alphabet");
    return ofCharacters(std::move(characters));
}

int64_t Tokenizer::classes() const
{
    return m_unit == TextUnit::Byte ? 256 : static_cast<int64_t>(m_alphabet.size());
}

int32_t Tokenizer::classOf(char32_t character) const
{
    if (m_unit == TextUnit::Byte)
        return character < 256 ? static_cast<int32_t>(character) : -1;
    if (character < kAscii)
        return m_classOfAscii[character];
    const auto found = m_classOf.find(character);
    return found == m_classOf.end() ? -1 : found->second;
}

Result<std::vector<int32_t>> Tokenizer::encode(std::string_view text) const
{
    std::vector<int32_t> tokens;
    CharacterReader reader(text, m_unit);
    for (char32_t character = 0; reader.next(character);) {
        const int32_t token = classOf(character);
        if (token < 0)
            return fail(fmt::format("{} is not in the alphabet of {}", characterName(character),
                                    counted(classes(), "character")),
                        fmt::format("character {}", grouped(reader.report().characters)));
        tokens.push_back(token);
    }
    return tokens;
}

std::string Tokenizer::decode(const std::vector<int32_t>& tokens) const
{
    const std::string text = written(tokens, true);
    return m_unit == TextUnit::Byte ? repairedUtf8(text) : text;
}

std::string Tokenizer::written(const std::vector<int32_t>& tokens, bool) const
{
    std::string text;
    for (const int32_t token : tokens) {
        assert(token >= 0 && token < classes());
        if (m_unit == TextUnit::Byte)
            text += static_cast<char>(token);
        else
            appendUtf8(text, m_alphabet[static_cast<size_t>(token)]);
    }
    return text;
}

std::vector<std::string> Tokenizer::alphabet() const
{
    std::vector<std::string> labels;
    for (const char32_t character : m_alphabet)
        labels.push_back(labelOf(character));
    for (char32_t byte = 0; m_unit == TextUnit::Byte && byte < 256; ++byte)
        labels.push_back(byte < kAscii ? labelOf(byte) : fmt::format("\\x{:02X}", static_cast<uint32_t>(byte)));
    return labels;
}

std::string characterName(char32_t character)
{
    const auto number = static_cast<uint32_t>(character);
    if (isControl(character))
        return fmt::format("the control character U+{:04X}", number);
    std::string shown;
    appendUtf8(shown, character);
    return fmt::format("'{}' (U+{:04X})", shown, number);
}

} // namespace unroll
