// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_text.h"

#include "core/base/memory.h"
#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/data/labelled_folder.h"
#include "core/data/records.h"
#include "core/data/word_vocabulary.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace unroll {

/// What was read, before it becomes classes.
struct LabelledText::Texts {
    std::string name;
    std::vector<std::string> texts, labels;
    std::vector<int64_t> lines;     // of each
    std::vector<std::string> files; // of each instead, where these are files
    std::vector<bool> tests;        // as LabelledSplit::tests
    std::string hash;
    bool bundled = false;
    std::vector<DataNote> notices;

    std::string place(size_t i) const { return files.empty() ? fmt::format("line {}", lines[i]) : files[i]; }
};

namespace {

constexpr int64_t kMostLabelledWords = 65'536;

/// The column of texts where the user has named none: one called text or sentence, else the longest of those that are
/// left.
size_t columnOfTexts(const Records& records, size_t labels)
{
    for (const char* usual : {"text", "sentence", "review", "content", "message"})
        for (size_t column = 0; column < records.width(); ++column)
            if (column != labels && isCalled(records.names[column], {usual}))
                return column;
    std::vector<size_t> characters(records.width());
    for (const Records::Row& row : records.rows)
        for (size_t column = 0; column < records.width(); ++column)
            characters[column] += column == labels ? 0 : row.cells[column].size() + 1;
    return static_cast<size_t>(std::max_element(characters.begin(), characters.end()) - characters.begin());
}

struct Columns {
    size_t text = 0, label = 0;
};

Result<Columns> columnsOf(const Records& records, const LabelledTextOptions& options)
{
    if (records.width() < 2)
        return fail("has one column; two are needed, a text and a label, separated by comma, semicolon, tab or bar",
                    records.name);
    const auto label = options.labelColumn.empty() ? columnOfLabels(records, RecordKind::Texts)
                                                   : columnCalled(records, options.labelColumn);
    if (!label)
        return fail(label.error().text(), "label_column");
    if (options.textColumn.empty())
        return Columns{columnOfTexts(records, *label), *label};
    const auto text = columnCalled(records, options.textColumn);
    if (!text)
        return fail(text.error().text(), "text_column");
    if (*text == *label)
        return fail(fmt::format("text and label are both column {}", records.names[*text]), "text_column");
    return Columns{*text, *label};
}

/// "3 records have no label, the first in line 7: left out."
void noteLeftOut(std::vector<DataNote>& notices, int64_t count, int64_t first, const char* lacking)
{
    if (count > 0)
        notices.emplace_back("left-out",
                             fmt::format("{} {} no {}, the first in line {}: left out.", counted(count, "record"),
                                         count == 1 ? "has" : "have", lacking, grouped(first)),
                             true);
}

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

} // namespace

Result<LabelledText::Texts> LabelledText::read(const LabelledTextOptions& options)
{
    Texts texts;
    const auto take = [&](std::string text, std::string label, int64_t line) {
        texts.texts.push_back(std::move(text));
        texts.labels.push_back(std::move(label));
        texts.lines.push_back(line);
    };
    if (options.file.empty()) {
        texts.name = "bundled sentences";
        texts.bundled = true;
        for (LabelledSentence& sentence : makeLabelledSentences())
            take(std::move(sentence.text), std::move(sentence.label), std::ssize(texts.lines) + 1);
        return texts;
    }
    std::error_code error;
    if (std::filesystem::is_directory(options.file, error))
        return readFolder(options);
    auto records = openRecords(options.file, RecordKind::Texts, options.table, options.memoryLimit);
    if (!records)
        return tl::unexpected(records.error());
    const auto columns = columnsOf(*records, options);
    if (!columns)
        return tl::unexpected(columns.error());
    texts.name = records->name;
    texts.notices.emplace_back(fmt::format("Read as: {}; texts from column {}, labels from column {}.", records->form,
                                           records->names[columns->text], records->names[columns->label]));
    int64_t unlabelled = 0, firstUnlabelled = 0, empty = 0, firstEmpty = 0;
    for (Records::Row& row : records->rows) {
        const std::string label(withoutBlanks(row.cells[columns->label]));
        if (label.empty())
            firstUnlabelled = unlabelled++ == 0 ? row.line : firstUnlabelled;
        else if (withoutBlanks(row.cells[columns->text]).empty())
            firstEmpty = empty++ == 0 ? row.line : firstEmpty;
        else
            take(std::move(row.cells[columns->text]), label, row.line);
    }
    noteLeftOut(texts.notices, unlabelled, firstUnlabelled, "label");
    noteLeftOut(texts.notices, empty, firstEmpty, "text");
    if (texts.texts.empty())
        return fail(fmt::format("no record has a text in column {} and a label in column {}",
                                records->names[columns->text], records->names[columns->label]),
                    texts.name);
    return texts;
}

Result<std::shared_ptr<const LabelledText>> LabelledText::open(const LabelledTextOptions& options)
{
    if (options.longest < 1)
        return fail(fmt::format("expected at least 1 step; got {}", options.longest), "longest");
    auto texts = read(options);
    if (!texts)
        return tl::unexpected(texts.error());
    return from(std::move(*texts), options);
}

Result<LabelledText::Texts> LabelledText::readFolder(const LabelledTextOptions& options)
{
    auto found =
        readLabelledFolder(options.file, options.memoryLimit == 0 ? availableMemory() / 8 : options.memoryLimit);
    if (!found)
        return tl::unexpected(found.error());
    Texts texts;
    texts.name = options.file.string();
    texts.notices.emplace_back(found->tests.empty() ? "Read as: a folder for each label."
                                                    : "Read as: a folder for each label, in train and in test.");
    if (found->unlabelled > 0)
        texts.notices.emplace_back(
            fmt::format("{} in unsup: unlabelled, left out.", counted(found->unlabelled, "file")));
    int64_t empty = 0;
    for (size_t i = 0; i < found->texts.size(); ++i) {
        if (withoutBlanks(found->texts[i]).empty()) {
            ++empty;
            continue;
        }
        texts.texts.push_back(std::move(found->texts[i]));
        texts.labels.push_back(std::move(found->labels[i]));
        texts.files.push_back(std::move(found->files[i]));
        texts.lines.push_back(static_cast<int64_t>(i) + 1);
        if (!found->tests.empty())
            texts.tests.push_back(found->tests[i]);
    }
    if (empty > 0)
        texts.notices.emplace_back("left-out", fmt::format("{} without text: left out.", counted(empty, "file")), true);
    return texts;
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
Result<std::vector<int64_t>> LabelledText::encodeTexts(const Texts& texts, const LabelledTextOptions& options)
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

Result<void> LabelledText::divideTexts(const Texts& texts, std::vector<int64_t> lengths,
                                       const LabelledTextOptions& options)
{
    for (size_t i = 0; i < texts.files.size() && !options.labels.empty(); ++i)
        if (std::find(options.labels.begin(), options.labels.end(), texts.labels[i]) == options.labels.end())
            return fail(fmt::format("{}: unknown label {}; the model was trained with {}", texts.files[i],
                                    texts.labels[i], listed(options.labels)),
                        texts.name);
    auto labels = Labels::of(texts.labels, texts.lines, options.labels);
    if (!labels)
        return fail(labels.error().text(), texts.name);
    LabelledSplit split = options.split;
    split.tests = texts.tests;
    if (auto prepared = prepare(std::move(*labels), std::move(lengths), split); !prepared)
        return fail(prepared.error().message, prepared.error().place.empty() ? texts.name : prepared.error().place);
    return {};
}

/// Words: the texts are divided first, since the vocabulary is that of the training part.
Result<void> LabelledText::takeWords(const Texts& texts, const LabelledTextOptions& options)
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
    int64_t unknown = 0;
    for (const std::vector<std::string>& text : words) {
        m_begins.push_back(m_tokens.size());
        for (const std::string& word : text) {
            m_tokens.push_back(static_cast<uint16_t>(vocabulary.classOf(word)));
            unknown += m_tokens.back() == WordVocabulary::kUnknown;
        }
    }
    if (unknown > 0)
        note(fmt::format("{} of {} are <unk>, which stands for all words that the vocabulary of {} lacks.",
                         grouped(unknown), counted(std::ssize(m_tokens), "word"), grouped(classes())));
    return {};
}

Result<std::shared_ptr<const LabelledText>> LabelledText::from(Texts texts, const LabelledTextOptions& options)
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
