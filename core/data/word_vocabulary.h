// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/vocabulary.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace unroll {

/// Cuts a text, which comes in pieces, into words: what lies between spaces, tabs and line ends. A line end is a word
/// of its own, kLineEnd. Ill-formed UTF-8 becomes U+FFFD, and a byte order mark is left out.
class WordReader {
public:
    static constexpr std::string_view kLineEnd = "<eos>";
    using Take = std::function<void(std::string_view word)>;

    explicit WordReader(Take take) : m_take(std::move(take)) {}
    void add(std::string_view piece);
    /// A byte order mark at the beginning is part of a word.
    void keepMark() { m_begun = true; }
    /// Gives the last word.
    void end();

private:
    void give();

    Take m_take;
    std::string m_word; // started in an earlier piece
    bool m_begun = false;
};

/// How often each word occurs.
class WordCounts {
public:
    static constexpr size_t kMost = 2'000'000; // different words: some 200 MB

    /// False where there would be more than kMost different ones.
    bool add(std::string_view word);
    /// The most frequent ones, ties by their bytes: at most `most`, 0: all. Without <unk> and <eos>.
    std::vector<std::string> frequent(size_t most) const;

private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
    };
    std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> m_counts;
};

/// Words as classes: 0 is <unk>, which stands for all others, 1 is <eos>, the line end, and the rest as given. A text
/// is written with a blank between two words.
class WordVocabulary final : public Vocabulary {
public:
    static constexpr int32_t kUnknown = 0, kEnd = 1;
    static constexpr std::string_view kUnknownWord = "<unk>";

    /// `words` without <unk> and <eos>, each once.
    explicit WordVocabulary(std::vector<std::string> words);

    /// kUnknown where there is no such word.
    int32_t classOf(std::string_view word) const;
    const std::vector<std::string>& words() const { return m_words; } // by class

    int64_t classes() const override { return std::ssize(m_words); }
    std::vector<std::string> alphabet() const override { return m_words; }
    /// Never fails: a word that the vocabulary lacks is kUnknown.
    Result<std::vector<int32_t>> encode(std::string_view text) const override;
    std::vector<std::string> unknownWords(std::string_view text) const override; // "<unk>" is none of them
    std::string decode(const std::vector<int32_t>& tokens) const override { return written(tokens, true); }
    std::string written(const std::vector<int32_t>& tokens, bool begins) const override;

private:
    void walk(std::string_view text, const WordReader::Take& take) const;

    std::vector<std::string> m_words;
    std::unordered_map<std::string_view, int32_t> m_classes; // of m_words
};

/// From words() of another, or from the text of each of its classes, where a line end stands for <eos>. Error: they do
/// not begin with <unk> and <eos>.
Result<std::shared_ptr<const Vocabulary>> learnedWords(const std::vector<std::string>& words);

/// "2 of 5 words read as <unk>: the vocabulary of 148 lacks 'some' and 'text'"; empty: it lacks none.
std::string unknownText(const Vocabulary& vocabulary, std::string_view text);

/// How a sentence goes on behind "5 of 70 words are <unk>": what of these `unknown` stands so in the text, `literal` of
/// them, and what the vocabulary lacks.
std::string whyUnknown(int64_t unknown, int64_t literal, int64_t classes);

/// As encode(), of a text that is to be found as it is: a word that the vocabulary lacks is an error, which says it.
Result<std::vector<int32_t>> encodeExactly(const Vocabulary& vocabulary, std::string_view text);

} // namespace unroll
