// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/piece_vocabulary.h"

#include "core/base/utf8.h"

#include <cassert>
#include <fmt/format.h>
#include <unordered_set>

namespace unroll {

namespace {

/// A piece as a label shows it: blanks and controls by a sign, bytes that are not UTF-8 by their numbers.
std::string pieceLabel(const std::string& piece)
{
    std::string label;
    for (size_t at = 0; at < piece.size();) {
        const DecodedCharacter character = decodeUtf8(piece, at);
        const auto byte = static_cast<unsigned char>(piece[at]);
        if (character.point == U' ')
            label += "\u2423"; // open box
        else if (character.point == U'\n')
            label += "\u21B5"; // return arrow
        else if (!character.valid || character.point < 0x20 || character.point == 0x7F)
            for (size_t i = 0; i < character.length; ++i)
                label += fmt::format("\\x{:02X}", static_cast<unsigned char>(piece[at + i]));
        else if (byte == '\\')
            label += "\\\\";
        else
            label += piece.substr(at, character.length);
        at += character.length;
    }
    return label;
}

} // namespace

std::vector<std::string> PieceVocabulary::alphabet() const
{
    std::vector<std::string> labels;
    std::unordered_set<std::string> seen;
    for (const std::string& piece : m_pieces) {
        std::string label = pieceLabel(piece);
        if (label.empty() || !seen.insert(label).second)
            label += fmt::format("#{}", labels.size());
        labels.push_back(std::move(label));
    }
    return labels;
}

Result<std::vector<int32_t>> PieceVocabulary::encode(std::string_view text) const
{
    if (text.empty())
        return std::vector<int32_t>{};
    return fail("a text is divided into these tokens by unroll-cli prepare --tokenizer alone; here it must be empty");
}

std::string PieceVocabulary::decode(const std::vector<int32_t>& tokens) const
{
    return repairedUtf8(written(tokens, true));
}

std::string PieceVocabulary::written(const std::vector<int32_t>& tokens, bool) const
{
    std::string text;
    for (const int32_t token : tokens) {
        assert(token >= 0 && token < classes());
        text += m_pieces[static_cast<size_t>(token)];
    }
    return text;
}

} // namespace unroll
