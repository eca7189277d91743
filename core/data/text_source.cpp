// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_source.h"

#include "core/base/memory.h"
#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/base/utf8.h"
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
        return fail("contains only a byte order mark", name);
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
        return fail(fmt::format("has {} different characters; the limit is {}: set unit to bytes",
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
    return fail(fmt::format("contains {}, which is not in the alphabet of {}", listed(missing),
                            counted(tokenizer.classes(), "character")),
                name);
}

void appendTokens(std::vector<uint16_t>& tokens, std::string_view text, const Tokenizer& tokenizer)
{
    CharacterReader reader(text, tokenizer.unit());
    for (char32_t character = 0; reader.next(character);)
        tokens.push_back(static_cast<uint16_t>(tokenizer.classOf(character)));
}

/// Tokens of one part, which lie in a text that begins at `text`. The first of a text has none before it, and is input
/// alone.
TargetRange targetsOf(int64_t first, int64_t count, int64_t text)
{
    return first > text ? TargetRange{first, std::max<int64_t>(count, 0), first - text - 1}
                        : TargetRange{first + 1, std::max<int64_t>(count - 1, 0), 0};
}

/// Characters of each text.
struct TextSizes {
    int64_t first, validation, test;
};

/// Cuts the first text where no other one is named, and says which tokens of each part have a token before them.
void cut(LoadedText& loaded, const TextSource& source, const TextSizes& sizes, const TextOptions& options)
{
    const bool cutsValidation = source.validationText.empty(), cutsTest = source.testText.empty();
    const double validation = cutsValidation ? options.validationFraction : 0;
    const double test = cutsTest ? options.testFraction : 0;
    const auto [training, end] = divided(sizes.first, validation, test);
    const auto ofFile = [&](int64_t first, int64_t count) {
        return targetsOf(first, count, source.follow ? 0 : first);
    };
    loaded.training = targetsOf(0, training, 0);
    loaded.validation = cutsValidation ? targetsOf(training, end - training, 0) : ofFile(sizes.first, sizes.validation);
    loaded.preview.training = training;
    loaded.preview.validation = cutsValidation ? end - training : sizes.validation;
    loaded.preview.test = cutsTest ? sizes.first - end : sizes.test;
    if (loaded.preview.test > 0)
        loaded.test =
            cutsTest ? targetsOf(end, sizes.first - end, 0) : ofFile(sizes.first + sizes.validation, sizes.test);
    loaded.preview.characters = static_cast<int64_t>(loaded.tokens.size());
    loaded.firstText = sizes.first;
    loaded.isOneText = (cutsValidation && cutsTest) || source.follow;
}

void noteUnseen(LoadedText& loaded)
{
    if (loaded.preview.training == 0)
        return;
    std::vector<bool> trained(static_cast<size_t>(loaded.tokenizer.classes()));
    std::for_each(loaded.tokens.begin(), loaded.tokens.begin() + loaded.preview.training,
                  [&](uint16_t token) { trained[token] = true; });
    for (const auto& [range, name] : {std::pair(loaded.validation, "validation"), {loaded.test, "test"}}) {
        std::vector<bool> seen = trained;
        int64_t unseen = 0;
        const auto first = loaded.tokens.begin() + range.first;
        std::for_each(range.count > 0 ? first : loaded.tokens.end(),
                      range.count > 0 ? first + range.count : loaded.tokens.end(), [&](uint16_t token) {
                          unseen += !seen[token];
                          seen[token] = true;
                      });
        if (unseen > 0)
            loaded.preview.notices.push_back(
                fmt::format("The {} part contains {} that never occur{} in the training part.", name,
                            counted(unseen, "character"), unseen == 1 ? "s" : ""));
    }
}

std::string hashOf(const TextSource& source)
{
    std::string hash = sha256(source.text);
    if (!source.validationText.empty())
        hash = sha256(hash + "\n" + sha256(source.validationText));
    return source.testText.empty() ? hash : sha256(hash + "\ntest\n" + sha256(source.testText));
}

void describeText(LoadedText& loaded, const TextSource& source)
{
    loaded.preview.bytes =
        static_cast<int64_t>(source.text.size() + source.validationText.size() + source.testText.size());
    loaded.preview.alphabet = loaded.tokenizer.alphabet();
    loaded.preview.hash = hashOf(source);
    for (const KnownText& known : kKnownTexts)
        if (known.hash == loaded.preview.hash)
            loaded.preview.recognised = known.name;
    const int64_t shown = std::min(kBeginning, loaded.preview.characters);
    loaded.preview.beginning = loaded.tokenizer.decode({loaded.tokens.begin(), loaded.tokens.begin() + shown});
    noteUnseen(loaded);
}

Result<void> checkFractions(const TextSource& source, const TextOptions& options)
{
    const double validation = options.validationFraction, test = options.testFraction;
    if (source.validationText.empty() && !(validation > 0 && validation < 1))
        return fail(fmt::format("expected a validation fraction between 0 and 1; got {}", validation),
                    "validation_fraction");
    if (!source.testText.empty())
        return {};
    if (!(test >= 0 && test < 1))
        return fail(fmt::format("expected a test fraction of 0, or between 0 and 1; got {}", test), "test_fraction");
    if (source.validationText.empty() && !(validation + test < 1))
        return fail(
            fmt::format("validation and test leave nothing to train on: {} and {} of the text", validation, test),
            "test_fraction");
    return {};
}

Result<void> checkSource(const TextSource& source, const TextOptions& options)
{
    if (const Result<void> good = checkFractions(source, options); !good)
        return good;
    if (const Result<void> good = checkText(source.name, source.text, options.unit); !good)
        return good;
    for (const auto& [name, text] :
         {std::pair(&source.validationName, &source.validationText), std::pair(&source.testName, &source.testText)})
        if (!text->empty())
            if (const Result<void> good = checkText(*name, *text, options.unit); !good)
                return good;
    return {};
}

/// What is still free of the memory that reading may take.
uint64_t memoryLeft(const TextSource& source, const TextOptions& options)
{
    const uint64_t read = (source.text.size() + source.validationText.size()) * kMemoryPerByte;
    return options.memoryLimit > 0 ? options.memoryLimit - std::min(read, options.memoryLimit) : availableMemory();
}

} // namespace

Result<TextSource> readSource(const TextOptions& options)
{
    TextSource source;
    Result<std::string> text = readFile(options.file, memoryLeft(source, options), kMemoryPerByte);
    if (!text)
        return tl::unexpected(text.error());
    source.name = options.file.string();
    source.text = std::move(*text);
    const auto readOther = [&](const std::filesystem::path& file, std::string& name,
                               std::string& into) -> Result<void> {
        if (file.empty())
            return {};
        Result<std::string> other = readFile(file, memoryLeft(source, options), kMemoryPerByte);
        if (!other)
            return tl::unexpected(other.error());
        if (other->empty())
            return fail("is empty", file.string());
        name = file.string();
        into = std::move(*other);
        return {};
    };
    if (auto read = readOther(options.validationFile, source.validationName, source.validationText); !read)
        return tl::unexpected(read.error());
    if (auto read = readOther(options.testFile, source.testName, source.testText); !read)
        return tl::unexpected(read.error());
    return source;
}

Result<LoadedText> loadText(const TextSource& source, const TextOptions& options)
{
    if (const Result<void> good = checkSource(source, options); !good)
        return tl::unexpected(good.error());
    struct Text {
        const std::string& name;
        const std::string& text;
        Scan scanned;
    };
    const Text texts[] = {{source.name, source.text, scan(source.text, options.unit)},
                          {source.validationName, source.validationText, scan(source.validationText, options.unit)},
                          {source.testName, source.testText, scan(source.testText, options.unit)}};
    std::vector<bool> occurs = texts[0].scanned.occurs;
    for (size_t i = 0; i < occurs.size(); ++i)
        occurs[i] = occurs[i] || texts[1].scanned.occurs[i] || texts[2].scanned.occurs[i];
    Result<Tokenizer> tokenizer = tokenizerFor(source.name, occurs, options);
    if (!tokenizer)
        return tl::unexpected(tokenizer.error());
    LoadedText loaded;
    loaded.tokenizer = std::move(*tokenizer);
    int64_t characters = 0;
    for (const Text& each : texts) {
        if (const Result<void> good = checkAlphabet(each.name, each.scanned, loaded.tokenizer); !good)
            return tl::unexpected(good.error());
        characters += each.scanned.report.characters;
    }
    loaded.tokens.reserve(static_cast<size_t>(characters));
    for (const Text& each : texts) {
        appendTokens(loaded.tokens, each.text, loaded.tokenizer);
        for (std::string& sentence : each.scanned.report.sentences(each.name, options.unit))
            loaded.preview.notices.push_back(std::move(sentence));
    }
    cut(loaded, source,
        {texts[0].scanned.report.characters, texts[1].scanned.report.characters, texts[2].scanned.report.characters},
        options);
    describeText(loaded, source);
    return loaded;
}

} // namespace unroll
