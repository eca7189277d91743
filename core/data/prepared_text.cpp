// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/base/utf8.h"
#include "core/data/piece_vocabulary.h"
#include "core/data/prepared_tokens.h"
#include "core/data/text_cut.h"

#include <fmt/format.h>
#include <numeric>

namespace unroll {

namespace {

constexpr int64_t kPreparedBeginning = 100; // tokens of a preview

/// What the metadata say, as JSON.
Result<JsonArray> listIn(const PreparedTokens& prepared, const char* key, const std::string& name)
{
    const auto found = prepared.metadata.find(key);
    if (found == prepared.metadata.end())
        return fail(fmt::format("has no {}: it was not written by unroll-cli prepare", key), name);
    const auto json = readJson(found->second, key);
    if (!json || json->asArray() == nullptr)
        return fail(fmt::format("has a {} that is not a list", key), name);
    return *json->asArray();
}

/// Bytes, each written as the character of its number.
std::optional<std::string> pieceBytes(const std::string& text)
{
    std::string bytes;
    for (size_t at = 0; at < text.size();) {
        const DecodedCharacter character = decodeUtf8(text, at);
        if (!character.valid || character.point > 0xFF)
            return std::nullopt;
        bytes += static_cast<char>(character.point);
        at += character.length;
    }
    return bytes;
}

Result<std::vector<std::string>> piecesIn(const PreparedTokens& prepared, const std::string& name)
{
    const auto list = listIn(prepared, "vocabulary", name);
    if (!list)
        return tl::unexpected(list.error());
    std::vector<std::string> pieces;
    for (const Json& entry : *list) {
        const auto piece = entry.asString() == nullptr ? std::nullopt : pieceBytes(*entry.asString());
        if (!piece)
            return fail(fmt::format("the entry {} of its vocabulary is not a row of bytes", pieces.size()), name);
        pieces.push_back(*piece);
    }
    return pieces;
}

/// Tokens to train on, to validate and to test; of the last two none where the text is one.
Result<std::vector<int64_t>> countsIn(const PreparedTokens& prepared, const std::string& name)
{
    const auto list = listIn(prepared, "counts", name);
    if (!list)
        return tl::unexpected(list.error());
    std::vector<int64_t> counts;
    for (const Json& entry : *list)
        counts.push_back(entry.asInt().value_or(-1));
    const bool bad = counts.size() != 3 || std::any_of(counts.begin(), counts.end(), [](int64_t n) { return n < 0; });
    if (bad || std::accumulate(counts.begin(), counts.end(), int64_t{0}) != prepared.tokens.size())
        return fail(
            fmt::format("is damaged: its counts are not those of its {}", counted(prepared.tokens.size(), "token")),
            name);
    return counts;
}

Result<void> checkTokens(const TokenStore& tokens, int64_t classes, const std::string& name)
{
    int64_t at = 0, bad = -1;
    int32_t token = 0;
    tokens.walk(0, tokens.size(), [&](std::span<const int32_t> piece) {
        for (size_t i = 0; i < piece.size() && bad < 0; ++i)
            if (piece[i] < 0 || piece[i] >= classes) {
                bad = at + static_cast<int64_t>(i);
                token = piece[i];
            }
        at += std::ssize(piece);
        return bad < 0;
    });
    if (bad < 0)
        return {};
    return fail(fmt::format("token {} is number {}, and the vocabulary has {}", grouped(bad + 1),
                            static_cast<uint32_t>(token), grouped(classes)),
                name);
}

/// What of the settings a file of tokens leaves no choice in.
std::vector<DataNote> ignoredByTokens(const TextOptions& options, bool ownValidation, bool ownTest)
{
    const TextOptions usual;
    const std::string prepared = "the file holds tokens that were prepared with a vocabulary of their own";
    const std::string parts = "the file of prepared tokens has its parts in itself";
    const std::string cut = "the file of prepared tokens has such a part of its own";
    std::vector<DataNote> notes;
    const auto ignored = [&](bool made, const char* param, const std::string& why) {
        if (made)
            notes.push_back(ignoredSetting(param, why, true));
    };
    ignored(options.unit != usual.unit, "unit", prepared);
    ignored(options.vocabularyLimit != usual.vocabularyLimit, "vocabulary_limit", prepared);
    ignored(!options.field.empty(), "text_field", prepared);
    ignored(options.split != usual.split && (ownValidation || ownTest), "parts", parts);
    ignored(!options.validationFile.empty(), "validation_file", parts);
    ignored(!options.testFile.empty(), "test_file", parts);
    ignored(ownValidation && options.validationFraction != usual.validationFraction, "validation_fraction", cut);
    ignored(ownTest && options.testFraction != usual.testFraction, "test_fraction", cut);
    return notes;
}

} // namespace

Result<LoadedText> loadPrepared(const TextOptions& options)
{
    const std::string name = options.file.string();
    auto prepared = PreparedTokens::open(options.file);
    if (!prepared)
        return tl::unexpected(prepared.error());
    const auto counts = countsIn(*prepared, name);
    if (!counts)
        return tl::unexpected(counts.error());
    auto pieces = piecesIn(*prepared, name);
    if (!pieces)
        return tl::unexpected(pieces.error());
    const auto size = [&](size_t i) { return (*counts)[i] > 0 ? std::optional((*counts)[i]) : std::nullopt; };
    if (const auto good = checkFractions(options, !size(1), !size(2)); !good)
        return tl::unexpected(good.error());
    if (const auto good = checkTokens(prepared->tokens, std::ssize(*pieces), name); !good)
        return tl::unexpected(good.error());
    LoadedText loaded;
    loaded.vocabulary = std::make_shared<const PieceVocabulary>(std::move(*pieces));
    loaded.unit = TextUnit::Piece;
    loaded.tokens = prepared->tokens;
    cutText(loaded, false, {(*counts)[0], size(1), size(2)}, options);
    loaded.preview.notes = ignoredByTokens(options, size(1).has_value(), size(2).has_value());
    loaded.preview.hash = prepared->metadata["hash"];
    loaded.preview.alphabet = loaded.vocabulary->alphabet();
    loaded.preview.beginning =
        loaded.vocabulary->decode(loaded.tokens.slice(0, std::min(kPreparedBeginning, loaded.tokens.size())));
    return loaded;
}

} // namespace unroll
