// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"

#include <memory>

namespace unroll {

struct CopyOptions {
    int64_t symbols = 8;                // alphabet to be remembered; blank and delimiter come on top
    int64_t length = 10;                // symbols to be remembered
    int64_t delay = 20;                 // D: steps from the last symbol to the delimiter
    int64_t evaluationSequences = 1000; // size of the fixed set that whole-split evaluation reads
};

/// The copying memory task (Arjovsky, Shah, Bengio 2016), token form, T = delay + 2 * length:
///   tokens   `length` random symbols, delay - 1 blanks, the delimiter, `length` blanks
///   targets  delay + length blanks, then the symbols in their order
/// Every position has a loss; only the last `length` are scored for accuracy. Guessing without memory costs
/// length * ln(symbols) / T nats. Sequence i of a seed is a pure function of (seed, i): batch s of size B holds the
/// sequences s * B ... The validation sequences are the same for every seed and come from a stream of their own.
class CopyTask final : public Dataset {
public:
    static Result<std::shared_ptr<const CopyTask>> create(const CopyOptions& options);

    int64_t blank() const { return m_options.symbols; }
    int64_t delimiter() const { return m_options.symbols + 1; }
    const CopyOptions& options() const { return m_options; }

    int64_t classes() const override { return m_options.symbols + 2; }
    int64_t steps() const override { return m_options.delay + 2 * m_options.length; }
    bool carriesState() const override { return false; }
    Result<void> accepts(int64_t batchSize) const override;
    Batch batch(Split split, int64_t step, int64_t batchSize, uint64_t seed) const override;
    int64_t batchesInSplit(Split split, int64_t batchSize) const override;
    Batch evaluationBatch(Split split, int64_t index, int64_t batchSize) const override;
    std::optional<int64_t> tokensIn(Split split) const override;    // training has no end
    std::optional<double> entropyFloor(Split split) const override; // 0: the symbols can be remembered
    std::optional<double> entropyExpected() const override;
    std::optional<Baseline> baseline() const override;
    std::string describe() const override;
    std::vector<std::string> alphabet() const override; // a, b, ..., then a blank and a delimiter sign
    std::string contentHash() const override;
    Result<std::vector<int32_t>> encode(std::string_view text) const override;
    std::string decode(const std::vector<int32_t>& tokens) const override;

private:
    explicit CopyTask(const CopyOptions& options) : m_options(options) {}
    Batch empty(int64_t batchSize) const;
    void write(Batch& batch, int64_t sequence, uint64_t seed, uint64_t purpose, int64_t index) const;

    CopyOptions m_options;
};

} // namespace unroll
