// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_source.h"

#include "core/base/memory.h"
#include "core/base/number_words.h"
#include "core/base/utf8.h"
#include "core/data/sha256.h"
#include "core/data/text_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr char32_t kCodePoints = 0x110000;
constexpr int64_t kBeginning = 400;    // characters of a preview
constexpr uint64_t kMemoryPerByte = 3; // the text and two bytes for each of its tokens
constexpr size_t kShownCharacters = 5; // of a list in a sentence

struct KnownText {
    std::string_view hash, name;
};

constexpr KnownText kKnownTexts[] = {
    {"86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed", "tiny Shakespeare"},
};

// The characters that occur in one text, and what was met in it.
struct Scan {
    std::vector<bool> occurs = std::vector<bool>(kCodePoints);
    TextReport report;
};

Scan scan(std::string_view text, TextUnit unit)
{
    Scan result;
    CharacterReader reader(text, unit);
    for (char32_t character = 0; reader.next(character);)
        result.occurs[character] = true;
    result.report = reader.report();
    return result;
}

Result<void> checkText(const std::string& name, std::string_view text, TextUnit unit)
{
    if (text.empty())
        return fail("is empty", name);
    if (unit == TextUnit::Character && looksLikeUtf16(text))
        return fail("is UTF-16 (it begins with that byte order mark); save it as UTF-8, or read it as bytes", name);
    if (unit == TextUnit::Character && text == kByteOrderMark)
        return fail("holds nothing but a byte order mark", name);
    return {};
}

Result<Tokenizer> tokenizerFor(const std::string& name, const std::vector<bool>& occurs, const TextOptions& options)
{
    if (options.unit == TextUnit::Byte)
        return Tokenizer::ofBytes();
    if (!options.alphabet.empty())
        return Tokenizer::ofAlphabet(options.alphabet);
    const auto distinct = static_cast<size_t>(std::count(occurs.begin(), occurs.end(), true));
    if (distinct > Tokenizer::kMaxClasses)
        return fail(fmt::format("has {} different characters; at most {} are possible: read it as bytes",
                                grouped(static_cast<int64_t>(distinct)), grouped(Tokenizer::kMaxClasses)),
                    name);
    std::u32string characters;
    for (char32_t character = 0; character < kCodePoints; ++character)
        if (occurs[character])
            characters += character;
    return Tokenizer::ofCharacters(std::move(characters));
}

// "'é' (U+00E9), 'ü' (U+00FC) and 3 others"
std::string listed(const std::u32string& characters)
{
    std::string list;
    const size_t shown = std::min(characters.size(), kShownCharacters);
    for (size_t i = 0; i < shown; ++i)
        list += (i == 0 ? "" : ", ") + characterName(characters[i]);
    const size_t hidden = characters.size() - shown;
    return hidden == 0 ? list : list + fmt::format(" and {} more", grouped(static_cast<int64_t>(hidden)));
}

Result<void> checkAlphabet(const std::string& name, const Scan& scanned, const Tokenizer& tokenizer)
{
    std::u32string missing;
    for (char32_t character = 0; character < kCodePoints; ++character)
        if (scanned.occurs[character] && tokenizer.classOf(character) < 0)
            missing += character;
    if (missing.empty())
        return {};
    return fail(fmt::format("holds {}, which the alphabet of {} lacks", listed(missing),
                            counted(tokenizer.classes(), "character")),
                name);
}

void appendTokens(std::vector<uint16_t>& tokens, std::string_view text, const Tokenizer& tokenizer)
{
    CharacterReader reader(text, tokenizer.unit());
    for (char32_t character = 0; reader.next(character);)
        tokens.push_back(static_cast<uint16_t>(tokenizer.classOf(character)));
}

// Where the validation part begins, and which tokens of both parts have a token before them.
void cut(LoadedText& loaded, int64_t training, bool sameText)
{
    const auto total = static_cast<int64_t>(loaded.tokens.size());
    const int64_t inputOnly = sameText && training > 0 ? 0 : 1;
    loaded.training = {1, std::max<int64_t>(training - 1, 0)};
    loaded.validation = {training + inputOnly, std::max<int64_t>(total - training - inputOnly, 0)};
    loaded.preview.characters = total;
    loaded.preview.training = training;
    loaded.preview.validation = total - training;
}

void noteUnseen(LoadedText& loaded)
{
    std::vector<bool> seen(static_cast<size_t>(loaded.tokenizer.classes()));
    const auto middle = loaded.tokens.begin() + loaded.preview.training;
    std::for_each(loaded.tokens.begin(), middle, [&](uint16_t token) { seen[token] = true; });
    int64_t unseen = 0;
    std::for_each(middle, loaded.tokens.end(), [&](uint16_t token) {
        unseen += !seen[token];
        seen[token] = true;
    });
    if (unseen > 0 && loaded.preview.training > 0)
        loaded.preview.notices.push_back(
            fmt::format("The validation part holds {} that never occur{} in the training part.",
                        counted(unseen, "character"), unseen == 1 ? "s" : ""));
}

std::string hashOf(const TextSource& source)
{
    const std::string hash = sha256(source.text);
    return source.validationText.empty() ? hash : sha256(hash + "\n" + sha256(source.validationText));
}

void describeText(LoadedText& loaded, const TextSource& source)
{
    loaded.preview.bytes = static_cast<int64_t>(source.text.size() + source.validationText.size());
    loaded.preview.alphabet = loaded.tokenizer.alphabet();
    loaded.preview.hash = hashOf(source);
    for (const KnownText& known : kKnownTexts)
        if (known.hash == loaded.preview.hash)
            loaded.preview.recognised = known.name;
    const int64_t shown = std::min(kBeginning, loaded.preview.characters);
    loaded.preview.beginning = loaded.tokenizer.decode({loaded.tokens.begin(), loaded.tokens.begin() + shown});
    noteUnseen(loaded);
}

Result<void> checkSource(const TextSource& source, const TextOptions& options)
{
    const double fraction = options.validationFraction;
    if (source.validationText.empty() && !(fraction > 0 && fraction < 1))
        return fail(fmt::format("expected a validation fraction between 0 and 1; got {}", fraction),
                    "validation_fraction");
    if (const Result<void> good = checkText(source.name, source.text, options.unit); !good)
        return good;
    return source.validationText.empty() ? Result<void>{}
                                         : checkText(source.validationName, source.validationText, options.unit);
}

} // namespace

Result<TextSource> readSource(const TextOptions& options)
{
    const uint64_t limit = options.memoryLimit > 0 ? options.memoryLimit : availableMemory();
    TextSource source;
    Result<std::string> text = readFile(options.file, limit, kMemoryPerByte);
    if (!text)
        return tl::unexpected(text.error());
    source.name = options.file.string();
    source.text = std::move(*text);
    if (options.validationFile.empty())
        return source;
    const uint64_t rest = options.memoryLimit > 0 ? limit - source.text.size() * kMemoryPerByte : availableMemory();
    Result<std::string> validation = readFile(options.validationFile, rest, kMemoryPerByte);
    if (!validation)
        return tl::unexpected(validation.error());
    source.validationName = options.validationFile.string();
    source.validationText = std::move(*validation);
    return source;
}

Result<LoadedText> loadText(const TextSource& source, const TextOptions& options)
{
    if (const Result<void> good = checkSource(source, options); !good)
        return tl::unexpected(good.error());
    const bool twoTexts = !source.validationText.empty();
    const Scan first = scan(source.text, options.unit), second = scan(source.validationText, options.unit);
    std::vector<bool> occurs = first.occurs;
    for (size_t i = 0; i < occurs.size(); ++i)
        occurs[i] = occurs[i] || second.occurs[i];
    Result<Tokenizer> tokenizer = tokenizerFor(source.name, occurs, options);
    if (!tokenizer)
        return tl::unexpected(tokenizer.error());
    LoadedText loaded{std::move(*tokenizer), {}, {}, {}, {}};
    if (const Result<void> good = checkAlphabet(source.name, first, loaded.tokenizer); !good)
        return tl::unexpected(good.error());
    if (const Result<void> good = checkAlphabet(source.validationName, second, loaded.tokenizer); !good)
        return tl::unexpected(good.error());
    loaded.tokens.reserve(static_cast<size_t>(first.report.characters + second.report.characters));
    appendTokens(loaded.tokens, source.text, loaded.tokenizer);
    appendTokens(loaded.tokens, source.validationText, loaded.tokenizer);
    const double share = 1.0 - options.validationFraction;
    cut(loaded,
        twoTexts ? first.report.characters
                 : static_cast<int64_t>(std::floor(static_cast<double>(first.report.characters) * share)),
        !twoTexts || source.validationFollows);
    loaded.preview.notices = first.report.sentences(source.name, options.unit);
    for (std::string& sentence : second.report.sentences(source.validationName, options.unit))
        loaded.preview.notices.push_back(std::move(sentence));
    describeText(loaded, source);
    return loaded;
}

} // namespace unroll
