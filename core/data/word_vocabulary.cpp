// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/word_vocabulary.h"

#include "core/base/number_text.h"
#include "core/base/utf8.h"
#include "core/data/character_reader.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <unordered_set>

namespace unroll {

namespace {

constexpr std::string_view kWordBlanks = " \t\n\v\f\r";

} // namespace

void WordReader::give()
{
    if (m_word.empty())
        return;
    if (isUtf8(m_word))
        m_take(m_word);
    else
        m_take(repairedUtf8(m_word));
    m_word.clear();
}

void WordReader::add(std::string_view piece)
{
    if (!m_begun && piece.starts_with(kByteOrderMark))
        piece.remove_prefix(kByteOrderMark.size());
    m_begun = m_begun || !piece.empty();
    while (!piece.empty()) {
        const size_t end = std::min(piece.find_first_of(kWordBlanks), piece.size());
        m_word += piece.substr(0, end);
        if (end == piece.size())
            return;
        give();
        if (piece[end] == '\n')
            m_take(kLineEnd);
        piece.remove_prefix(end + 1);
    }
}

void WordReader::end()
{
    give();
}

bool WordCounts::add(std::string_view word)
{
    if (const auto found = m_counts.find(word); found != m_counts.end()) {
        ++found->second;
        return true;
    }
    if (m_counts.size() == kMost)
        return false;
    m_counts.emplace(word, 1);
    return true;
}

std::vector<std::string> WordCounts::frequent(size_t most) const
{
    std::vector<std::pair<std::string_view, int64_t>> words;
    for (const auto& [word, count] : m_counts)
        if (word != WordVocabulary::kUnknownWord && word != WordReader::kLineEnd)
            words.emplace_back(word, count);
    const size_t kept = most == 0 ? words.size() : std::min(most, words.size());
    std::partial_sort(
        words.begin(), words.begin() + static_cast<std::ptrdiff_t>(kept), words.end(),
        [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
    std::vector<std::string> frequent;
    for (size_t i = 0; i < kept; ++i)
        frequent.emplace_back(words[i].first);
    return frequent;
}

WordVocabulary::WordVocabulary(std::vector<std::string> words) : m_words(std::move(words))
{
    m_words.insert(m_words.begin(), {std::string(kUnknownWord), std::string(WordReader::kLineEnd)});
    for (size_t i = 0; i < m_words.size(); ++i)
        m_classes.emplace(m_words[i], static_cast<int32_t>(i));
}

int32_t WordVocabulary::classOf(std::string_view word) const
{
    const auto found = m_classes.find(word);
    return found == m_classes.end() ? kUnknown : found->second;
}

/// A class may begin with a byte order mark, as a word where two files were put together: its text is that word.
void WordVocabulary::walk(std::string_view text, const WordReader::Take& take) const
{
    WordReader reader(take);
    if (text.starts_with(kByteOrderMark) && m_classes.contains(text.substr(0, text.find_first_of(kWordBlanks))))
        reader.keepMark();
    reader.add(text);
    reader.end();
}

Result<std::vector<int32_t>> WordVocabulary::encode(std::string_view text) const
{
    std::vector<int32_t> tokens;
    walk(text, [&](std::string_view word) { tokens.push_back(classOf(word)); });
    return tokens;
}

std::vector<std::string> WordVocabulary::unknownWords(std::string_view text) const
{
    std::vector<std::string> unknown;
    walk(text, [&](std::string_view word) {
        if (!m_classes.contains(word))
            unknown.emplace_back(word);
    });
    return unknown;
}

std::string WordVocabulary::written(const std::vector<int32_t>& tokens, bool begins) const
{
    std::string text;
    bool blank = !begins;
    for (const int32_t token : tokens) {
        assert(token >= 0 && token < classes());
        if (token == kEnd) {
            text += '\n';
            blank = false;
            continue;
        }
        if (blank)
            text += ' ';
        text += m_words[static_cast<size_t>(token)];
        blank = true;
    }
    return text;
}

Result<std::shared_ptr<const Vocabulary>> learnedWords(const std::vector<std::string>& words)
{
    constexpr size_t kUnknown = WordVocabulary::kUnknown, kEnd = WordVocabulary::kEnd;
    if (words.size() < 2 || words[kUnknown] != WordVocabulary::kUnknownWord ||
        (words[kEnd] != WordReader::kLineEnd && words[kEnd] != "\n"))
        return fail("the model was not trained on words", "unit");
    return std::make_shared<const WordVocabulary>(std::vector<std::string>(words.begin() + 2, words.end()));
}

namespace {

constexpr size_t kWordsShown = 5; // of those that are missing

/// "'some', 'text' and 3 more", each word once.
std::string quotedOnce(const std::vector<std::string>& words)
{
    std::vector<std::string> once;
    std::unordered_set<std::string_view> met;
    for (const std::string& word : words)
        if (met.insert(word).second)
            once.push_back("'" + word + "'");
    return listed(once, kWordsShown);
}

} // namespace

std::string unknownText(const Vocabulary& vocabulary, std::string_view text)
{
    const std::vector<std::string> unknown = vocabulary.unknownWords(text);
    if (unknown.empty())
        return {};
    const auto all = vocabulary.encode(text);
    return fmt::format("{} of {} read as <unk>: the vocabulary of {} lacks {}", grouped(std::ssize(unknown)),
                       counted(all ? std::ssize(*all) : 0, "word"), grouped(vocabulary.classes()), quotedOnce(unknown));
}

std::string whyUnknown(int64_t unknown, int64_t literal, int64_t classes)
{
    if (literal == 0)
        return fmt::format(", which stands for all words that the vocabulary of {} lacks.", grouped(classes));
    if (literal == unknown)
        return " in the text itself.";
    return fmt::format(": {} in the text itself, the others since the vocabulary of {} lacks them.", grouped(literal),
                       grouped(classes));
}

Result<std::vector<int32_t>> encodeExactly(const Vocabulary& vocabulary, std::string_view text)
{
    if (const std::vector<std::string> unknown = vocabulary.unknownWords(text); !unknown.empty())
        return fail(
            fmt::format("the vocabulary of {} lacks {}", counted(vocabulary.classes(), "word"), quotedOnce(unknown)));
    return vocabulary.encode(text);
}

} // namespace unroll
