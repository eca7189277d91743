// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_source.h"

#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/base/utf8.h"
#include "core/data/text_cut.h"
#include "core/data/text_encoding.h"
#include "core/data/text_scan.h"
#include "core/data/word_vocabulary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr int64_t kBeginning = 400;    // characters of a preview
constexpr size_t kShownCharacters = 5; // of a list in a sentence

struct KnownText {
    std::string_view hash, name;
};

constexpr KnownText kKnownTexts[] = {
    {"86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed", "tiny Shakespeare"},
};

/// A text and what one reading of it has found.
struct ReadText {
    std::string name;
    std::shared_ptr<const TextStream> stream; // null: there is none
    ScannedText scanned = {};
};
using ReadTexts = std::array<ReadText, 3>; // to train on, to validate, to test

ReadTexts textsOf(const TextSource& source)
{
    const auto streamOf = [](const std::shared_ptr<const TextStream>& stream, const std::string& text) {
        return stream || text.empty() ? stream : streamOfText(text);
    };
    return {ReadText{source.name, source.stream ? source.stream : streamOfText(source.text)},
            ReadText{source.validationName, streamOf(source.validationStream, source.validationText)},
            ReadText{source.testName, streamOf(source.testStream, source.testText)}};
}

Result<Tokenizer> tokenizerFor(const std::string& name, const CodePoints& occurs, const TextOptions& options)
{
    if (options.unit == TextUnit::Byte)
        return Tokenizer::ofBytes();
    if (!options.alphabet.empty())
        return Tokenizer::ofAlphabet(options.alphabet);
    std::u32string characters = occurs.sorted();
    if (characters.size() > Tokenizer::kMaxClasses)
        return fail(fmt::format("has {} different characters; the limit is {}: set unit to bytes",
                                grouped(static_cast<int64_t>(characters.size())), grouped(Tokenizer::kMaxClasses)),
                    name);
    return Tokenizer::ofCharacters(std::move(characters));
}

// "'é' (U+00E9), 'ü' (U+00FC) and 3 others"
std::string listedCharacters(const std::u32string& characters)
{
    std::string list;
    const size_t shown = std::min(characters.size(), kShownCharacters);
    for (size_t i = 0; i < shown; ++i)
        list += (i == 0 ? "" : ", ") + characterName(characters[i]);
    const size_t hidden = characters.size() - shown;
    return hidden == 0 ? list : list + fmt::format(" and {} more", grouped(static_cast<int64_t>(hidden)));
}

Result<void> checkAlphabet(const std::string& name, const ScannedText& scanned, const Tokenizer& tokenizer)
{
    if (tokenizer.unit() == TextUnit::Byte)
        return {};
    std::u32string missing;
    for (const char32_t character : scanned.occurs.sorted())
        if (tokenizer.classOf(character) < 0)
            missing += character;
    if (missing.empty())
        return {};
    return fail(fmt::format("contains {}, which is not in the alphabet of {}", listedCharacters(missing),
                            counted(tokenizer.classes(), "character")),
                name);
}

/// Classes that occur among the targets.
std::vector<bool> classesIn(const LoadedText& loaded, const TargetRange& range)
{
    std::vector<bool> occur(static_cast<size_t>(loaded.vocabulary->classes()));
    loaded.tokens.walk(range.first, range.count, [&](std::span<const int32_t> tokens) {
        for (const int32_t token : tokens)
            occur[static_cast<size_t>(token)] = true;
        return true;
    });
    return occur;
}

/// The training part is read until all that is looked for was met.
void noteUnseen(LoadedText& loaded)
{
    if (loaded.preview.training == 0)
        return;
    std::array<std::vector<bool>, 2> unseen{classesIn(loaded, loaded.validation), classesIn(loaded, loaded.test)};
    const auto left = [&](const std::vector<bool>& part) { return std::count(part.begin(), part.end(), true); };
    loaded.tokens.walk(0, loaded.preview.training, [&](std::span<const int32_t> tokens) {
        for (const int32_t token : tokens)
            unseen[0][static_cast<size_t>(token)] = unseen[1][static_cast<size_t>(token)] = false;
        return left(unseen[0]) + left(unseen[1]) > 0;
    });
    for (const size_t i : {0U, 1U})
        if (const auto count = left(unseen[i]); count > 0)
            loaded.preview.notices.push_back(fmt::format("The {} part contains {} that never occur{} in the training "
                                                         "part.",
                                                         i == 0 ? "validation" : "test",
                                                         counted(count, unitName(loaded.unit)), count == 1 ? "s" : ""));
}

/// What is spoken of where words are <unk>: each part, with its first word that may be no target, or all of a text that
/// nothing is trained on.
std::vector<std::pair<TargetRange, std::string>> partsOf(const LoadedText& loaded, bool toTrain)
{
    if (!toTrain)
        return {{{0, loaded.tokens.size()}, ""}};
    std::vector<std::pair<TargetRange, std::string>> parts;
    int64_t first = 0;
    for (const auto& [count, name] : {std::pair(loaded.preview.training, " of the training part"),
                                      {loaded.preview.validation, " of the validation part"},
                                      {loaded.preview.test, " of the test part"}}) {
        parts.push_back({{first, count}, name});
        first += count;
    }
    return parts;
}

/// How many words of each of these parts are "<unk>" in the text itself.
Result<std::vector<int64_t>> literalUnknown(const ReadTexts& texts,
                                            const std::vector<std::pair<TargetRange, std::string>>& parts)
{
    std::vector<int64_t> counts(parts.size());
    if (texts[0].scanned.unknownWords + texts[1].scanned.unknownWords + texts[2].scanned.unknownWords == 0)
        return counts;
    int64_t at = 0;
    auto read = eachWord({texts[0].stream, texts[1].stream, texts[2].stream}, [&](std::string_view word) {
        for (size_t i = 0; word == WordVocabulary::kUnknownWord && i < parts.size(); ++i)
            counts[i] += at >= parts[i].first.first && at < parts[i].first.first + parts[i].first.count;
        ++at;
    });
    return read ? Result<std::vector<int64_t>>(std::move(counts)) : tl::unexpected(read.error());
}

/// How much of a text is <unk>.
Result<void> noteUnknown(LoadedText& loaded, const ReadTexts& texts, bool toTrain)
{
    const auto parts = partsOf(loaded, toTrain);
    const auto literal = literalUnknown(texts, parts);
    if (!literal)
        return tl::unexpected(literal.error());
    for (size_t i = 0; i < parts.size(); ++i) {
        const auto& [range, name] = parts[i];
        int64_t unknown = 0;
        loaded.tokens.walk(range.first, range.count, [&](std::span<const int32_t> tokens) {
            unknown += std::count(tokens.begin(), tokens.end(), WordVocabulary::kUnknown);
            return true;
        });
        if (unknown > 0)
            loaded.preview.notices.push_back(
                fmt::format("{} of {}{} ({:.2f} %) are <unk>{}", grouped(unknown), counted(range.count, "word"), name,
                            100.0 * static_cast<double>(unknown) / static_cast<double>(range.count),
                            whyUnknown(unknown, (*literal)[i], loaded.vocabulary->classes())));
    }
    return {};
}

std::string hashOf(const ReadTexts& texts)
{
    std::string hash = texts[0].scanned.hash;
    if (texts[1].stream)
        hash = sha256(hash + "\n" + texts[1].scanned.hash);
    return !texts[2].stream ? hash : sha256(hash + "\ntest\n" + texts[2].scanned.hash);
}

void describeText(LoadedText& loaded, const TextSource& source, const ReadTexts& texts)
{
    for (const ReadText& text : texts)
        loaded.preview.bytes += text.scanned.report.bytes;
    loaded.preview.alphabet = loaded.vocabulary->alphabet();
    loaded.preview.hash = hashOf(texts);
    for (const KnownText& known : kKnownTexts)
        if (known.hash == loaded.preview.hash)
            loaded.preview.recognised = known.name;
    loaded.preview.notes = source.notes;
    for (const ReadText& text : texts)
        if (const std::string what = noTextButWhat(text.scanned.head); text.stream && !what.empty())
            loaded.preview.notes.emplace_back("no-text", fmt::format("{} {}.", text.name, what), true);
    if (source.published != nullptr) {
        const PublishedCheck check = comparePublished(
            *source.published, static_cast<uint64_t>(texts[0].scanned.report.bytes), texts[0].scanned.hash);
        loaded.preview.notes.emplace_back("published", check.sentence, !check.same);
        if (check.same)
            loaded.preview.recognised = source.published->title;
    }
    const int64_t shown = std::min(kBeginning, loaded.preview.characters);
    loaded.preview.beginning = loaded.vocabulary->decode(loaded.tokens.slice(0, shown));
    if (loaded.unit != TextUnit::Word)
        noteUnseen(loaded);
}

/// The fractions that count: of a text whose papers divide it, theirs.
TextOptions dividedAsPublished(const TextSource& source, const TextOptions& given)
{
    TextOptions options = given;
    const PublishedText* published = source.published;
    if (published != nullptr && published->validation > 0 && given.split == TextSplit::Published) {
        options.validationFraction = published->validation;
        options.testFraction = published->test;
    }
    return options;
}

Result<std::shared_ptr<const Vocabulary>> vocabularyFor(const ReadTexts& texts, const TextOptions& options)
{
    if (options.unit == TextUnit::Word) {
        if (!options.words.empty())
            return learnedWords(options.words);
        const double validation = texts[1].stream ? 0 : options.validationFraction;
        const double test = texts[2].stream ? 0 : options.testFraction;
        const int64_t training = divided(texts[0].scanned.units, validation, test).training;
        auto words = frequentWords(*texts[0].stream, texts[0].name, training, options.vocabularyLimit);
        if (!words)
            return tl::unexpected(words.error());
        return std::make_shared<const WordVocabulary>(std::move(*words));
    }
    CodePoints occurs;
    for (const ReadText& text : texts)
        occurs.insert(text.scanned.occurs);
    Result<Tokenizer> tokenizer = tokenizerFor(texts[0].name, occurs, options);
    if (!tokenizer)
        return tl::unexpected(tokenizer.error());
    for (const ReadText& text : texts)
        if (const Result<void> good = checkAlphabet(text.name, text.scanned, *tokenizer); !good)
            return tl::unexpected(good.error());
    return std::make_shared<const Tokenizer>(std::move(*tokenizer));
}

/// Another file than the text's own for one of its parts.
Result<void> takeOther(const std::filesystem::path& file, const TextOptions& options, TextPart& part)
{
    if (file.empty())
        return {};
    auto other = textPart(file, options.field);
    if (!other)
        return tl::unexpected(other.error());
    part = std::move(*other);
    return {};
}

} // namespace

Result<TextSource> readSource(const TextOptions& options)
{
    auto parts = textParts(options.file, options.field, options.split);
    if (!parts)
        return tl::unexpected(parts.error());
    if (auto taken = takeOther(options.validationFile, options, parts->validation); !taken)
        return tl::unexpected(taken.error());
    if (auto taken = takeOther(options.testFile, options, parts->test); !taken)
        return tl::unexpected(taken.error());
    noteMissingField(options.field, *parts);
    TextSource source;
    source.name = parts->text.name;
    source.stream = parts->text.stream;
    source.validationName = parts->validation.name;
    source.validationStream = parts->validation.stream;
    source.testName = parts->test.name;
    source.testStream = parts->test.stream;
    source.published = parts->published;
    source.notes = std::move(parts->notes);
    return source;
}

Result<LoadedText> loadText(const TextSource& source, const TextOptions& given)
{
    const TextOptions options = dividedAsPublished(source, given);
    ReadTexts texts = textsOf(source);
    if (const Result<void> good = checkFractions(options, !texts[1].stream, !texts[2].stream); !good)
        return tl::unexpected(good.error());
    for (ReadText& text : texts) {
        auto scanned = scanText(text.stream.get(), options.unit);
        if (!scanned)
            return tl::unexpected(scanned.error());
        text.scanned = std::move(*scanned);
        if (const Result<void> good =
                text.stream ? checkScanned(text.scanned, text.name, options.unit) : Result<void>();
            !good)
            return tl::unexpected(good.error());
    }
    auto vocabulary = vocabularyFor(texts, options);
    if (!vocabulary)
        return tl::unexpected(vocabulary.error());
    LoadedText loaded;
    loaded.vocabulary = std::move(*vocabulary);
    loaded.unit = options.unit;
    auto tokens = encodeTexts({texts[0].stream, texts[1].stream, texts[2].stream},
                              {texts[0].scanned, texts[1].scanned, texts[2].scanned}, options.unit, *loaded.vocabulary,
                              options.memoryLimit);
    if (!tokens)
        return tl::unexpected(tokens.error());
    loaded.tokens = std::move(*tokens);
    for (const ReadText& text : texts)
        for (std::string& sentence : text.scanned.report.sentences(text.name, options.unit))
            loaded.preview.notices.push_back(std::move(sentence));
    const auto sizeOf = [](const ReadText& text) {
        return text.stream ? std::optional(text.scanned.units) : std::nullopt;
    };
    cutText(loaded, source.follow, {texts[0].scanned.units, sizeOf(texts[1]), sizeOf(texts[2])}, options);
    describeText(loaded, source, texts);
    if (const auto noted = loaded.unit == TextUnit::Word ? noteUnknown(loaded, texts, options.toTrain) : Result<void>();
        !noted)
        return tl::unexpected(noted.error());
    if (options.unit != TextUnit::Word && options.vocabularyLimit != 0)
        loaded.preview.notes.push_back(ignoredSetting("vocabulary_limit", "it counts where unit is words"));
    return loaded;
}

} // namespace unroll
