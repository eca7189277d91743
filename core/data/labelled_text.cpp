// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_text.h"

#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/data/labelled_records.h"
#include "core/data/word_vocabulary.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace unroll {

namespace {

constexpr int64_t kMostLabelledWords = 65'536;

std::u32string charactersIn(const std::vector<std::string>& texts)
{
    std::set<char32_t> found;
    for (const std::string& text : texts) {
        CharacterReader reader(text, TextUnit::Character);
        for (char32_t character = 0; reader.next(character);)
            found.insert(character);
    }
    return {found.begin(), found.end()};
}

/// Of the first `longest` words all, and how many there are.
std::vector<std::string> wordsOf(const std::string& text, int64_t longest, int64_t& count)
{
    std::vector<std::string> words;
    count = 0;
    WordReader reader([&](std::string_view word) {
        if (count++ < longest)
            words.emplace_back(word);
    });
    reader.add(text);
    reader.end();
    return words;
}

Result<Tokenizer> tokenizerFor(const std::vector<std::string>& texts, const LabelledTextOptions& options)
{
    if (options.unit == TextUnit::Byte)
        return Tokenizer::ofBytes();
    if (!options.alphabet.empty())
        return Tokenizer::ofAlphabet(options.alphabet);
    std::u32string alphabet = charactersIn(texts);
    if (alphabet.size() > Tokenizer::kMaxClasses)
        return fail(fmt::format("has {} different characters; the limit is {}: set unit to bytes",
                                grouped(std::ssize(alphabet)), grouped(int64_t{Tokenizer::kMaxClasses})),
                    "unit");
    return Tokenizer::ofCharacters(std::move(alphabet));
}

/// What was left out of the file, behind an error that may come of it.
std::string leftOutText(const std::vector<DataNote>& notes)
{
    std::string text;
    for (const DataNote& note : notes)
        if (note.code == "left-out")
            text += ". " + note.sentence.substr(0, note.sentence.find_last_not_of('.') + 1);
    return text;
}

} // namespace

Result<std::shared_ptr<const LabelledText>> LabelledText::open(const LabelledTextOptions& options)
{
    if (options.longest < 1)
        return fail(fmt::format("expected at least 1 step; got {}", options.longest), "longest");
    auto texts = readLabelledTexts(options);
    if (!texts)
        return tl::unexpected(texts.error());
    return from(std::move(*texts), options);
}

/// What is kept of a text.
void LabelledText::keep(const std::vector<int32_t>& tokens, int64_t longest, std::vector<int64_t>& lengths)
{
    const int64_t length = std::min(std::ssize(tokens), longest);
    m_cut += length < std::ssize(tokens);
    m_begins.push_back(m_tokens.size());
    m_tokens.insert(m_tokens.end(), tokens.begin(), tokens.begin() + length);
    lengths.push_back(length);
}

/// Of characters and bytes.
Result<std::vector<int64_t>> LabelledText::encodeTexts(const LabelledTexts& texts, const LabelledTextOptions& options)
{
    auto tokenizer = tokenizerFor(texts.texts, options);
    if (!tokenizer)
        return fail(tokenizer.error().text(), tokenizer.error().place == "unit" ? "unit" : texts.name);
    m_vocabulary = std::make_shared<const Tokenizer>(std::move(*tokenizer));
    std::vector<int64_t> lengths;
    for (size_t i = 0; i < texts.texts.size(); ++i) {
        const auto tokens = m_vocabulary->encode(texts.texts[i]);
        if (!tokens)
            return fail(fmt::format("{}: {}", texts.place(i), tokens.error().text()), texts.name);
        keep(*tokens, options.longest, lengths);
    }
    return lengths;
}

Result<void> LabelledText::divideTexts(const LabelledTexts& texts, std::vector<int64_t> lengths,
                                       const LabelledTextOptions& options)
{
    for (size_t i = 0; i < texts.files.size() && !options.labels.empty(); ++i)
        if (std::find(options.labels.begin(), options.labels.end(), texts.labels[i]) == options.labels.end())
            return fail(fmt::format("{}: unknown label {}; the model was trained with {}", texts.place(i),
                                    texts.labels[i], listed(options.labels)),
                        texts.name);
    auto labels = Labels::of(texts.labels, texts.lines, options.labels);
    if (!labels)
        return fail(labels.error().text(), texts.name);
    LabelledSplit split = options.split;
    split.parts = texts.parts;
    if (auto prepared = prepare(std::move(*labels), std::move(lengths), split); !prepared)
        return fail(prepared.error().message + leftOutText(notes()),
                    prepared.error().place.empty() ? texts.name : prepared.error().place);
    return {};
}

/// Words: the texts are divided first, since the vocabulary is that of the training part.
Result<void> LabelledText::takeWords(const LabelledTexts& texts, const LabelledTextOptions& options)
{
    std::vector<std::vector<std::string>> words;
    std::vector<int64_t> lengths;
    for (const std::string& text : texts.texts) {
        int64_t count = 0;
        words.push_back(wordsOf(text, options.longest, count));
        m_cut += count > options.longest;
        lengths.push_back(std::ssize(words.back()));
    }
    if (auto divided = divideTexts(texts, std::move(lengths), options); !divided)
        return divided;
    if (options.words.empty()) {
        WordCounts counts;
        for (const size_t i : part(Split::Train))
            for (const std::string& word : words[i])
                if (!counts.add(word))
                    return fail(fmt::format("has more than {} different words: set unit to bytes or characters",
                                            grouped(int64_t{WordCounts::kMost})),
                                texts.name);
        m_vocabulary = std::make_shared<const WordVocabulary>(counts.frequent(
            static_cast<size_t>(std::clamp<int64_t>(options.vocabularyLimit, 3, kMostLabelledWords) - 2)));
    } else if (auto learned = learnedWords(options.words)) {
        m_vocabulary = std::move(*learned);
    } else {
        return tl::unexpected(learned.error());
    }
    const auto& vocabulary = dynamic_cast<const WordVocabulary&>(*m_vocabulary);
    int64_t unknown = 0, literal = 0;
    for (const std::vector<std::string>& text : words) {
        m_begins.push_back(m_tokens.size());
        for (const std::string& word : text) {
            m_tokens.push_back(static_cast<uint16_t>(vocabulary.classOf(word)));
            unknown += m_tokens.back() == WordVocabulary::kUnknown;
            literal += word == WordVocabulary::kUnknownWord;
        }
    }
    if (unknown > 0)
        note(fmt::format("{} of {} are <unk>{}", grouped(unknown), counted(std::ssize(m_tokens), "word"),
                         whyUnknown(unknown, literal, classes())));
    return {};
}

Result<std::shared_ptr<const LabelledText>> LabelledText::from(LabelledTexts texts, const LabelledTextOptions& options)
{
    std::shared_ptr<LabelledText> data(new LabelledText(options.unit));
    std::vector<int64_t> lengths;
    if (options.unit != TextUnit::Word) {
        auto encoded = data->encodeTexts(texts, options);
        if (!encoded)
            return tl::unexpected(encoded.error());
        lengths = std::move(*encoded);
    }
    Sha256 hash;
    for (size_t i = 0; i < texts.texts.size(); ++i)
        hash.add(texts.texts[i] + '\0' + texts.labels[i] + '\n');
    data->m_name = texts.name;
    data->m_bundled = texts.bundled;
    data->m_hash = hash.hex();
    for (DataNote& notice : texts.notices)
        data->note(std::move(notice));
    if (options.unit != TextUnit::Word && options.vocabularyLimit != LabelledTextOptions().vocabularyLimit)
        data->note(ignoredSetting("vocabulary_limit", "it counts where unit is words"));
    const auto noteCut = [&] {
        if (data->m_cut > 0)
            data->note(fmt::format("{} of {} longer than {}: truncated.", grouped(data->m_cut),
                                   data->m_cut == 1 ? "the texts is" : "the texts are",
                                   counted(options.longest, unitName(options.unit))));
    };
    if (options.unit == TextUnit::Word) {
        if (auto taken = data->takeWords(texts, options); !taken)
            return tl::unexpected(taken.error());
        noteCut();
        return std::shared_ptr<const LabelledText>(std::move(data));
    }
    noteCut();
    if (auto divided = data->divideTexts(texts, std::move(lengths), options); !divided)
        return tl::unexpected(divided.error());
    return std::shared_ptr<const LabelledText>(std::move(data));
}

void LabelledText::write(Batch& batch, int64_t b, size_t sequence) const
{
    for (int64_t t = 0; t < length(sequence); ++t)
        batch.tokens[static_cast<size_t>(t * batch.sequences + b)] =
            m_tokens[m_begins[sequence] + static_cast<size_t>(t)];
}

std::optional<double> LabelledText::entropyFloor(const Portion&) const
{
    return m_bundled ? std::optional(0.0) : std::nullopt;
}

std::string LabelledText::describe() const
{
    return fmt::format("{}: {} of at most {}, {}", m_name, counted(std::ssize(m_begins), "text"),
                       counted(steps(), unitName(m_unit)), partsText());
}

std::vector<LabelledSentence> makeLabelledSentences()
{
    constexpr std::array<const char*, 6> animals = {"cat", "fox", "hare", "hen", "mole", "owl"};
    constexpr std::array<const char*, 8> deeds = {"chased", "called", "fed", "found", "heard", "helped", "led", "met"};
    constexpr std::array<const char*, 5> places = {"", " by the mill", " at noon", " in the snow", " by the well"};
    std::vector<LabelledSentence> sentences;
    for (const char* one : animals)
        for (const char* other : animals)
            for (const char* deed : deeds)
                for (const char* place : places) {
                    if (one == other)
                        continue;
                    sentences.push_back({fmt::format("the {} {} the {}{}.", one, deed, other, place), one});
                    sentences.push_back({fmt::format("the {} was {} by the {}{}.", one, deed, other, place), other});
                }
    return sentences;
}

} // namespace unroll
