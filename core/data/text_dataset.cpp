// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_dataset.h"

#include "core/base/number_words.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr int64_t kMaxSteps = 1'000'000;

std::string unitName(TextUnit unit)
{
    return unit == TextUnit::Byte ? "byte" : "character";
}

Result<void> checkWindows(const TextSource& source, const TextOptions& options, const LoadedText& loaded)
{
    const std::string unit = unitName(options.unit);
    if (options.steps < 1 || options.steps > kMaxSteps)
        return fail(fmt::format("expected 1 to {} steps; got {}", grouped(kMaxSteps), options.steps), "steps");
    if (loaded.training.count < options.steps)
        return fail(fmt::format("is too short: one window of {} needs {}, and the training part has {}",
                                counted(options.steps, "step"), counted(options.steps + 1, unit),
                                grouped(loaded.preview.training)),
                    source.name);
    if (loaded.validation.count < 1)
        return fail(fmt::format("leaves nothing to validate on: the validation part has {}",
                                counted(loaded.preview.validation, unit)),
                    source.validationName.empty() ? source.name : source.validationName);
    return {};
}

} // namespace

TextDataset::TextDataset(TextSource source, const TextOptions& options, LoadedText loaded)
    : m_source(std::move(source)), m_options(options), m_loaded(std::move(loaded))
{
    m_source.text = {};
    m_source.validationText = {};
    if (m_loaded.validation.count < m_options.steps)
        m_loaded.preview.notices.push_back(fmt::format("The validation part ({}) is shorter than one window of {}.",
                                                       counted(m_loaded.preview.validation, unitName(m_options.unit)),
                                                       counted(m_options.steps, "step")));
}

Result<std::shared_ptr<const TextDataset>> TextDataset::open(const TextOptions& options)
{
    Result<TextSource> source = readSource(options);
    if (!source)
        return tl::unexpected(source.error());
    return fromSource(std::move(*source), options);
}

Result<std::shared_ptr<const TextDataset>> TextDataset::fromSource(TextSource source, const TextOptions& options)
{
    Result<LoadedText> loaded = loadText(source, options);
    if (!loaded)
        return tl::unexpected(loaded.error());
    if (const Result<void> good = checkWindows(source, options, *loaded); !good)
        return tl::unexpected(good.error());
    return std::shared_ptr<const TextDataset>(new TextDataset(std::move(source), options, std::move(*loaded)));
}

TextBatches TextDataset::batches(Split split) const
{
    return {m_loaded.tokens, split == Split::Train ? m_loaded.training : m_loaded.validation, m_options.order,
            m_options.steps};
}

Result<void> TextDataset::accepts(int64_t batchSize) const
{
    if (batchSize < 1)
        return fail(fmt::format("expected a batch of at least 1 sequence; got {}", batchSize), "batch");
    if (batches(Split::Train).holds(batchSize))
        return {};
    return fail(fmt::format("a batch of {} of {} is larger than the data: the training part has {}, room for {}",
                            counted(batchSize, "sequence"), counted(m_options.steps, "step"),
                            counted(m_loaded.preview.training, unitName(m_options.unit)),
                            counted(m_loaded.training.count / m_options.steps, "sequence")),
                "batch");
}

Batch TextDataset::batch(Split split, int64_t step, int64_t batchSize, uint64_t seed) const
{
    if (split == Split::Validation)
        return evaluationBatch(split, step % batchesInSplit(split, batchSize), batchSize);
    return batches(split).training(step, batchSize, seed);
}

int64_t TextDataset::batchesInSplit(Split split, int64_t batchSize) const
{
    return batches(split).evaluationCount(batchSize);
}

Batch TextDataset::evaluationBatch(Split split, int64_t index, int64_t batchSize) const
{
    return batches(split).evaluation(index, batchSize);
}

std::optional<int64_t> TextDataset::tokensIn(Split split) const
{
    return split == Split::Train ? m_loaded.preview.training : m_loaded.preview.validation;
}

std::vector<int32_t> TextDataset::beginning(Split split, int64_t count) const
{
    const int64_t first = split == Split::Train ? 0 : m_loaded.preview.training;
    const auto from = m_loaded.tokens.begin() + first;
    return {from, from + std::min(count, *tokensIn(split))};
}

std::optional<double> TextDataset::entropyFloor(Split split) const
{
    return split == Split::Train ? m_source.trainingFloor : m_source.validationFloor;
}

std::string TextDataset::describe() const
{
    const std::string unit = unitName(m_options.unit);
    const std::string& name = m_loaded.preview.recognised.empty() ? m_source.name : m_loaded.preview.recognised;
    return fmt::format("{}: {}, {} different; {} to train on, {} to validate", name,
                       counted(m_loaded.preview.characters, unit), grouped(classes()),
                       grouped(m_loaded.preview.training), grouped(m_loaded.preview.validation));
}

Result<TextPreview> previewText(const TextOptions& options)
{
    const Result<TextSource> source = readSource(options);
    if (!source)
        return tl::unexpected(source.error());
    Result<LoadedText> loaded = loadText(*source, options);
    if (!loaded)
        return tl::unexpected(loaded.error());
    return std::move(loaded->preview);
}

} // namespace unroll
