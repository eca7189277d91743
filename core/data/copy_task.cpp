// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/copy_task.h"

#include "core/data/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr int64_t kMaxSymbols = 52; // a label for each: a .. z, A .. Z
constexpr int64_t kMaxSteps = 1'000'000;
constexpr int64_t kMaxBatchTokens = int64_t{1} << 31;

// Purposes of the streams of random numbers; a training seed never reaches the other two.
constexpr uint64_t kTraining = 0x636F7079'0001;
constexpr uint64_t kValidation = 0x636F7079'0002;
constexpr uint64_t kTrainingProbe = 0x636F7079'0003;

char symbolLabel(int64_t symbol)
{
    return static_cast<char>(symbol < 26 ? 'a' + symbol : 'A' + symbol - 26);
}

constexpr const char* kBlankLabel = "_";
constexpr const char* kDelimiterLabel = "|";

} // namespace

Result<std::shared_ptr<const CopyTask>> CopyTask::create(const CopyOptions& options)
{
    if (options.symbols < 2 || options.symbols > kMaxSymbols)
        return fail(fmt::format("expected 2 to {} symbols; got {}", kMaxSymbols, options.symbols), "symbols");
    if (options.length < 1 || options.length > kMaxSteps)
        return fail(fmt::format("expected a length of 1 to {}; got {}", kMaxSteps, options.length), "length");
    if (options.delay < 1 || options.delay > kMaxSteps)
        return fail(fmt::format("expected a delay of 1 to {} steps; got {}", kMaxSteps, options.delay), "delay");
    if (options.evaluationSequences < 1)
        return fail(fmt::format("expected at least 1 evaluation sequence; got {}", options.evaluationSequences),
                    "evaluation_sequences");
    return std::shared_ptr<const CopyTask>(new CopyTask(options));
}

Result<void> CopyTask::accepts(int64_t batchSize) const
{
    if (batchSize < 1)
        return fail(fmt::format("expected a batch of at least 1 sequence; got {}", batchSize), "batch");
    if (batchSize > kMaxBatchTokens / steps())
        return fail(fmt::format("a batch of {} sequences of {} steps is more than {} tokens", batchSize, steps(),
                                kMaxBatchTokens),
                    "batch");
    return {};
}

Batch CopyTask::empty(int64_t batchSize) const
{
    Batch batch;
    batch.steps = steps();
    batch.sequences = batchSize;
    const auto size = static_cast<size_t>(batch.steps * batchSize);
    batch.tokens.assign(size, static_cast<int32_t>(blank()));
    batch.targets.assign(size, static_cast<int32_t>(blank()));
    batch.scored.assign(size, 0);
    std::fill(batch.scored.end() - m_options.length * batchSize, batch.scored.end(), uint8_t{1});
    batch.fresh.assign(static_cast<size_t>(batchSize), 1);
    return batch;
}

void CopyTask::write(Batch& batch, int64_t sequence, uint64_t seed, uint64_t purpose, int64_t index) const
{
    Random random(seed, purpose, static_cast<uint64_t>(index));
    const int64_t recall = m_options.delay + m_options.length;
    const auto at = [&](int64_t step) { return static_cast<size_t>(step * batch.sequences + sequence); };
    for (int64_t i = 0; i < m_options.length; ++i) {
        const auto symbol = static_cast<int32_t>(random.below(static_cast<uint64_t>(m_options.symbols)));
        batch.tokens[at(i)] = symbol;
        batch.targets[at(recall + i)] = symbol;
    }
    batch.tokens[at(recall - 1)] = static_cast<int32_t>(delimiter());
}

Batch CopyTask::batch(Split split, int64_t step, int64_t batchSize, uint64_t seed) const
{
    assert(step >= 0 && accepts(batchSize));
    if (split == Split::Validation)
        return evaluationBatch(split, step % batchesInSplit(split, batchSize), batchSize);
    Batch batch = empty(batchSize);
    for (int64_t b = 0; b < batchSize; ++b)
        write(batch, b, seed, kTraining, step * batchSize + b);
    return batch;
}

int64_t CopyTask::batchesInSplit(Split, int64_t batchSize) const
{
    assert(batchSize > 0);
    return (m_options.evaluationSequences - 1) / batchSize + 1;
}

Batch CopyTask::evaluationBatch(Split split, int64_t index, int64_t batchSize) const
{
    assert(index >= 0 && index < batchesInSplit(split, batchSize));
    Batch batch = empty(batchSize);
    const int64_t real = std::min(batchSize, m_options.evaluationSequences - index * batchSize);
    for (int64_t b = 0; b < real; ++b)
        write(batch, b, 0, split == Split::Train ? kTrainingProbe : kValidation, index * batchSize + b);
    if (real == batchSize)
        return batch;
    batch.mask.assign(batch.tokens.size(), 1);
    for (size_t i = 0; i < batch.tokens.size(); ++i) {
        if (static_cast<int64_t>(i) % batchSize < real)
            continue;
        batch.mask[i] = batch.scored[i] = 0;
        batch.targets[i] = kIgnoredTarget;
    }
    return batch;
}

std::optional<int64_t> CopyTask::tokensIn(Split split) const
{
    if (split == Split::Train)
        return std::nullopt;
    return m_options.evaluationSequences * steps();
}

std::optional<double> CopyTask::entropyFloor(Split) const
{
    return 0.0;
}

std::optional<double> CopyTask::entropyExpected() const
{
    return 0.0;
}

std::optional<Baseline> CopyTask::baseline() const
{
    return Baseline{static_cast<double>(m_options.length) * std::log(static_cast<double>(m_options.symbols)) /
                        static_cast<double>(steps()),
                    "nats a token", "the best guess without memory"};
}

std::string CopyTask::describe() const
{
    return fmt::format("copy task: {} of {} symbols, delay {}, {} steps", m_options.length, m_options.symbols,
                       m_options.delay, steps());
}

std::vector<std::string> CopyTask::alphabet() const
{
    std::vector<std::string> labels;
    for (int64_t i = 0; i < m_options.symbols; ++i)
        labels.emplace_back(1, symbolLabel(i));
    labels.emplace_back(kBlankLabel);
    labels.emplace_back(kDelimiterLabel);
    return labels;
}

std::string CopyTask::contentHash() const
{
    return fmt::format("copy-1:{}:{}:{}:{}", m_options.symbols, m_options.length, m_options.delay,
                       m_options.evaluationSequences);
}

Result<std::vector<int32_t>> CopyTask::encode(std::string_view text) const
{
    const std::vector<std::string> labels = alphabet();
    std::vector<int32_t> tokens;
    for (size_t at = 0; at < text.size(); ++at) {
        const auto found = std::find(labels.begin(), labels.end(), std::string(1, text[at]));
        if (found == labels.end())
            return fail(
                fmt::format("the copy task knows {} to {}, {} and {} only; the prompt holds a character beyond them",
                            labels.front(), symbolLabel(m_options.symbols - 1), kBlankLabel, kDelimiterLabel),
                fmt::format("prompt, byte {}", at));
        tokens.push_back(static_cast<int32_t>(found - labels.begin()));
    }
    return tokens;
}

std::string CopyTask::decode(const std::vector<int32_t>& tokens) const
{
    const std::vector<std::string> labels = alphabet();
    std::string text;
    for (const int32_t token : tokens)
        text += labels.at(static_cast<size_t>(token));
    return text;
}

} // namespace unroll
