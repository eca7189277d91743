// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/dataset.h"

#include <algorithm>
#include <cmath>

namespace unroll {

void Batch::maskFrom(int64_t step, int64_t sequence)
{
    if (step >= steps)
        return;
    if (mask.empty())
        mask.assign(static_cast<size_t>(steps * sequences), 1);
    for (int64_t t = step; t < steps; ++t)
        mask[static_cast<size_t>(t * sequences + sequence)] = 0;
}

int64_t Batch::scoredTargets() const
{
    const auto classes = std::count_if(targets.begin(), targets.end(), [](int32_t t) { return t != kIgnoredTarget; });
    return classes + std::count_if(values.begin(), values.end(), [](float value) { return !std::isnan(value); });
}

bool Batch::asks() const
{
    return std::any_of(targets.begin(), targets.end(), [](int32_t t) { return t != kIgnoredTarget; }) ||
           std::any_of(values.begin(), values.end(), [](float value) { return !std::isnan(value); });
}

bool isInNats(const std::string& lossUnit)
{
    return lossUnit.starts_with("nats");
}

const char* splitWord(Split split)
{
    switch (split) {
    case Split::Train: return "train";
    case Split::Validation: return "val";
    case Split::Test: return "test";
    case Split::All: break;
    }
    return "all";
}

Dataset::~Dataset() = default;

Batch Dataset::batch(Split split, int64_t step, int64_t batchSize, uint64_t seed) const
{
    if (split == Split::Train)
        return trainingBatch(step, batchSize, seed);
    return evaluationBatch(split, step % batchesInSplit(split, batchSize), batchSize);
}

bool Dataset::has(Split split) const
{
    return split != Split::Test;
}

int64_t Dataset::warmUp(Split) const
{
    return 0;
}

bool Dataset::hasOrder() const
{
    return false;
}

bool Dataset::asksNext() const
{
    return false;
}

int64_t Dataset::places(Split split) const
{
    return batchesInSplit(split, 1);
}

Batch Dataset::stretch(Split split, int64_t at, int64_t length) const
{
    Batch batch = evaluationBatch(split, at, 1);
    const auto padding = std::find(batch.mask.begin(), batch.mask.end(), uint8_t{0});
    const int64_t real = batch.mask.empty() ? batch.steps : padding - batch.mask.begin();
    const int64_t kept = std::min(real, length);
    const auto cut = [&](auto& values) { // of each step as many
        values.resize(values.size() / static_cast<size_t>(batch.steps) * static_cast<size_t>(kept));
    };
    cut(batch.tokens);
    cut(batch.targets);
    cut(batch.features);
    cut(batch.values);
    cut(batch.scored);
    batch.mask.clear();
    batch.steps = kept;
    return batch;
}

int64_t Dataset::batchesIn(const Portion& portion) const
{
    const int64_t all = batchesInSplit(portion.split, portion.batchSize);
    return portion.batches > 0 ? std::min(all, portion.batches + warmUp(portion.split)) : all;
}

std::pair<Split, int64_t> Dataset::partOf(int64_t index, int64_t batchSize) const
{
    for (const Split split : {Split::Train, Split::Validation}) {
        const int64_t batches = has(split) ? batchesInSplit(split, batchSize) : 0;
        if (index < batches)
            return {split, index};
        index -= batches;
    }
    return {Split::Test, index};
}

int64_t Dataset::batchesInParts(int64_t batchSize) const
{
    int64_t batches = 0;
    for (const Split split : {Split::Train, Split::Validation, Split::Test})
        batches += has(split) ? batchesInSplit(split, batchSize) : 0;
    return batches;
}

NumberFacts Dataset::numbers() const
{
    return {};
}

std::optional<TargetCensus> Dataset::census(Split, int64_t, int64_t, uint64_t) const
{
    return std::nullopt;
}

std::vector<std::string> Dataset::labels() const
{
    return {};
}

std::optional<int64_t> Dataset::tokensIn(Split) const
{
    return std::nullopt;
}

std::vector<int32_t> Dataset::beginning(Split split, int64_t count) const
{
    std::vector<int32_t> tokens;
    const auto wanted = static_cast<size_t>(count);
    const int64_t batches = batchesInSplit(split, 1);
    for (int64_t index = 0; index < batches && tokens.size() < wanted; ++index) {
        const Batch batch = evaluationBatch(split, index, 1);
        for (size_t t = 0; t < batch.tokens.size() && tokens.size() < wanted; ++t)
            if (batch.mask.empty() || batch.mask[t] != 0)
                tokens.push_back(batch.tokens[t]);
    }
    return tokens;
}

std::optional<double> Dataset::entropyFloor(const Portion&) const
{
    return std::nullopt;
}

std::optional<double> Dataset::entropyExpected(Split) const
{
    return std::nullopt;
}

std::optional<Baseline> Dataset::baseline(const Portion&) const
{
    return std::nullopt;
}

std::string Dataset::whyNoBaseline(const Portion&) const
{
    return {};
}

std::vector<ColumnSummary> Dataset::columns() const
{
    return {};
}

SeriesScales Dataset::scales() const
{
    return {};
}

std::vector<DataNote> Dataset::notes() const
{
    return {};
}

std::vector<std::string> Dataset::notices() const
{
    std::vector<std::string> sentences;
    for (const DataNote& note : notes())
        sentences.push_back(note.sentence);
    return sentences;
}

std::optional<TableFormat> Dataset::tableFormat() const
{
    return std::nullopt;
}

} // namespace unroll
