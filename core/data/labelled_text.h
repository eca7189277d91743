// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/labelled_dataset.h"
#include "core/data/table_format.h"
#include "core/data/tokenizer.h"

#include <filesystem>
#include <memory>

namespace unroll {

struct LabelledTexts;

struct LabelledTextOptions {
    std::filesystem::path file; // of records, see readRecords(), or a folder, see readLabelledTexts(); empty: the
                                // bundled sentences
    std::string textColumn;     // by name, or by number where the file names none; empty: found out
    std::string labelColumn;    // likewise
    TableWishes table{};        // how the file is written
    TextUnit unit = TextUnit::Character;
    int64_t longest = 256; // T at most: what a text has beyond it is left out
    LabelledSplit split;
    std::string alphabet; // a trained model's, UTF-8, one character a class; empty: the characters of the texts
    std::vector<std::string> words;   // likewise by class, where the unit is words; empty: those of the training part
    int64_t vocabularyLimit = 20'000; // classes of words, the most frequent ones: 65,536 at most
    std::vector<std::string> labels;  // likewise; empty: those of the file
    uint64_t memoryLimit = 0;         // bytes that reading may take; 0: what the machine has free
};

/// Texts with one label each: a character, a byte or a word is a step, and after the last one the label is asked for.
class LabelledText final : public LabelledDataset {
public:
    /// Errors name the file as openRecords() does, or the option: a column that is not there, a part without a text, a
    /// character or label that a trained model has not learned.
    static Result<std::shared_ptr<const LabelledText>> open(const LabelledTextOptions& options);

    int64_t classes() const override { return m_vocabulary->classes(); }
    std::vector<std::string> alphabet() const override { return m_vocabulary->alphabet(); }
    Result<std::vector<int32_t>> encode(std::string_view text) const override { return m_vocabulary->encode(text); }
    std::vector<std::string> unknownWords(std::string_view text) const override
    {
        return m_vocabulary->unknownWords(text);
    }
    std::string decode(const std::vector<int32_t>& tokens) const override { return m_vocabulary->decode(tokens); }
    std::string written(const std::vector<int32_t>& tokens, bool begins) const override
    {
        return m_vocabulary->written(tokens, begins);
    }
    std::optional<double> entropyFloor(const Portion& portion) const override; // 0 of the bundled sentences
    std::string describe() const override;
    std::string contentHash() const override { return m_hash; }

private:
    explicit LabelledText(TextUnit unit) : m_unit(unit) {}
    static Result<std::shared_ptr<const LabelledText>> from(LabelledTexts texts, const LabelledTextOptions& options);
    Result<std::vector<int64_t>> encodeTexts(const LabelledTexts& texts, const LabelledTextOptions& options);
    void keep(const std::vector<int32_t>& tokens, int64_t longest, std::vector<int64_t>& lengths);
    Result<void> divideTexts(const LabelledTexts& texts, std::vector<int64_t> lengths,
                             const LabelledTextOptions& options);
    Result<void> takeWords(const LabelledTexts& texts, const LabelledTextOptions& options);
    void write(Batch& batch, int64_t b, size_t sequence) const override;

    TextUnit m_unit;
    std::shared_ptr<const Vocabulary> m_vocabulary;
    std::vector<uint16_t> m_tokens; // of all texts, one behind the other
    int64_t m_cut = 0;              // texts that are longer than what is kept of them
    std::vector<size_t> m_begins;   // of each
    std::string m_name, m_hash;
    bool m_bundled = false;
};

/// The bundled texts: every sentence of a small grammar once, labelled by the animal that acts. "the fox was chased by
/// the hen" is the hen's, and "the fox chased the hen" the fox's: who acts is told by the order of words, not by which
/// words there are.
struct LabelledSentence {
    std::string text;
    std::string label;
};
std::vector<LabelledSentence> makeLabelledSentences();

} // namespace unroll
