// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/ngram_baseline.h"
#include "core/data/text_source.h"

#include <memory>
#include <mutex>

namespace unroll {

/// Prediction of the next character, byte, word or token of a text. The alphabet covers all parts. Validation targets
/// are the whole validation part; where it follows the training part in one text, the first of them is predicted from
/// the last training character, with a separate file the first character is input only. Likewise the test part.
class TextDataset final : public Dataset {
public:
    /// Errors name the file: missing, unreadable, empty, shorter than one window, UTF-16, or a character that the given
    /// alphabet lacks; and as textParts(), loadText() and loadPrepared().
    static Result<std::shared_ptr<const TextDataset>> open(const TextOptions& options);
    /// The same for a text in memory; `options.file` and `options.validationFile` are not read.
    static Result<std::shared_ptr<const TextDataset>> fromSource(TextSource source, const TextOptions& options);

    const TextPreview& preview() const { return m_loaded.preview; }
    /// The tokens of all parts.
    const TokenStore& tokens() const { return m_loaded.tokens; }
    TextUnit unit() const { return m_loaded.unit; }

    int64_t classes() const override { return m_loaded.vocabulary->classes(); }
    int64_t steps() const override { return m_options.steps; }
    bool carriesState() const override { return m_options.order == ReadingOrder::Streams; }
    Result<void> accepts(int64_t batchSize) const override;
    Batch trainingBatch(int64_t step, int64_t batchSize, uint64_t seed) const override;
    bool has(Split split) const override;
    int64_t batchesInSplit(Split split, int64_t batchSize) const override;
    Batch evaluationBatch(Split split, int64_t index, int64_t batchSize) const override;
    int64_t warmUp(Split split) const override;
    bool hasOrder() const override { return true; }
    bool asksNext() const override { return true; }
    int64_t places(Split split) const override;
    Batch stretch(Split split, int64_t at, int64_t length) const override;
    std::string evaluationText(Split split) const override;
    std::optional<int64_t> tokensIn(Split split) const override; // also those that are input only
    std::vector<int32_t> beginning(Split split, int64_t count) const override;
    std::optional<double> entropyFloor(const Portion& portion) const override;
    std::optional<double> entropyExpected(Split) const override { return m_source.expectedEntropy; }
    /// n-gram models that count the training part, once, when they are first asked for: some 100 MB and a second.
    const NgramBaseline& ngrams() const;
    /// Of the best of them.
    std::optional<Baseline> baseline(const Portion& portion) const override;
    std::string whyNoBaseline(const Portion& portion) const override;
    std::string describe() const override;
    std::vector<std::string> alphabet() const override { return m_loaded.preview.alphabet; }
    std::string contentHash() const override { return m_loaded.preview.hash; }
    std::vector<DataNote> notes() const override
    {
        std::vector<DataNote> all = m_loaded.preview.notes;
        all.insert(all.end(), m_loaded.preview.notices.begin(), m_loaded.preview.notices.end());
        return all;
    }
    Result<std::vector<int32_t>> encode(std::string_view text) const override
    {
        return m_loaded.vocabulary->encode(text);
    }
    std::vector<std::string> unknownWords(std::string_view text) const override
    {
        return m_loaded.vocabulary->unknownWords(text);
    }
    std::string decode(const std::vector<int32_t>& tokens) const override
    {
        return m_loaded.vocabulary->decode(tokens);
    }
    std::string written(const std::vector<int32_t>& tokens, bool begins) const override
    {
        return m_loaded.vocabulary->written(tokens, begins);
    }

private:
    TextDataset(TextSource source, const TextOptions& options, LoadedText loaded);
    static Result<std::shared_ptr<const TextDataset>> made(TextSource source, const TextOptions& options,
                                                           Result<LoadedText> loaded);
    TextBatches batches(Split split) const;
    TargetRange range(Split split) const;
    int64_t firstToken(Split split) const;
    int64_t endOfText(int64_t token) const;
    bool isInParts(Split split) const { return split == Split::All && !m_loaded.isOneText; }
    double natsOf(const Portion& portion, int64_t& targets) const;

    TextSource m_source;        // without its texts: names and floors
    std::vector<double> m_nats; // of each character behind the training part and of the end: of all before it
    TextOptions m_options;
    LoadedText m_loaded;
    mutable std::once_flag m_counted; // the n-grams
    mutable std::shared_ptr<const NgramBaseline> m_ngrams;
};

} // namespace unroll
