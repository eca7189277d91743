// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_dataset.h"

#include "core/base/number_text.h"
#include "core/data/prepared_tokens.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace unroll {

namespace {

constexpr int64_t kMaxSteps = 1'000'000;

Result<void> checkWindows(const TextSource& source, const TextOptions& options, const LoadedText& loaded)
{
    const std::string unit = unitName(loaded.unit);
    if (options.steps < 1 || options.steps > kMaxSteps)
        return fail(fmt::format("expected 1 to {} steps; got {}", grouped(kMaxSteps), options.steps), "steps");
    if (!options.toTrain && loaded.training.count + loaded.validation.count + loaded.test.count > 0)
        return {};
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
    m_source.text = m_source.validationText = m_source.testText = {};
    m_source.stream = m_source.validationStream = m_source.testStream = nullptr;
    if (!m_source.nats.empty())
        m_nats.push_back(0);
    for (const float nats : std::exchange(m_source.nats, {}))
        m_nats.push_back(m_nats.back() + static_cast<double>(nats));
    if (m_options.toTrain && m_loaded.validation.count < m_options.steps)
        m_loaded.preview.notices.push_back(fmt::format("The validation part ({}) is shorter than one window of {}.",
                                                       counted(m_loaded.preview.validation, unitName(m_loaded.unit)),
                                                       counted(m_options.steps, "step")));
}

Result<std::shared_ptr<const TextDataset>> TextDataset::open(const TextOptions& options)
{
    if (namesPreparedTokens(options.file)) {
        TextSource source;
        source.name = options.file.string();
        source.validationName = "the validation part of " + source.name;
        source.testName = "the test part of " + source.name;
        return made(std::move(source), options, loadPrepared(options));
    }
    Result<TextSource> source = readSource(options);
    if (!source)
        return tl::unexpected(source.error());
    return fromSource(std::move(*source), options);
}

Result<std::shared_ptr<const TextDataset>> TextDataset::fromSource(TextSource source, const TextOptions& options)
{
    Result<LoadedText> loaded = loadText(source, options);
    return made(std::move(source), options, std::move(loaded));
}

Result<std::shared_ptr<const TextDataset>> TextDataset::made(TextSource source, const TextOptions& options,
                                                             Result<LoadedText> loaded)
{
    if (!loaded)
        return tl::unexpected(loaded.error());
    if (const Result<void> good = checkWindows(source, options, *loaded); !good)
        return tl::unexpected(good.error());
    return std::shared_ptr<const TextDataset>(new TextDataset(std::move(source), options, std::move(*loaded)));
}

/// Of All in one text: every character but the first.
TargetRange TextDataset::range(Split split) const
{
    switch (split) {
    case Split::Train: return m_loaded.training;
    case Split::Validation: return m_loaded.validation;
    case Split::Test: return m_loaded.test;
    case Split::All: break;
    }
    return {1, m_loaded.tokens.size() - 1, 0};
}

TextBatches TextDataset::batches(Split split) const
{
    return {m_loaded.tokens, range(split), m_options.order, m_options.steps};
}

bool TextDataset::has(Split split) const
{
    return range(split).count > 0;
}

Result<void> TextDataset::accepts(int64_t batchSize) const
{
    if (batchSize < 1)
        return fail(fmt::format("expected a batch of at least 1 sequence; got {}", batchSize), "batch");
    if (has(Split::Train) && batches(Split::Train).holds(batchSize))
        return {};
    return fail(fmt::format("a batch of {} of {} is larger than the data: the training part has {}, enough for {}",
                            counted(batchSize, "sequence"), counted(m_options.steps, "step"),
                            counted(m_loaded.preview.training, unitName(m_loaded.unit)),
                            counted(m_loaded.training.count / m_options.steps, "sequence")),
                "batch");
}

Batch TextDataset::trainingBatch(int64_t step, int64_t batchSize, uint64_t seed) const
{
    return batches(Split::Train).training(step, batchSize, seed);
}

int64_t TextDataset::batchesInSplit(Split split, int64_t batchSize) const
{
    return isInParts(split) ? batchesInParts(batchSize) : batches(split).evaluationCount(batchSize);
}

Batch TextDataset::evaluationBatch(Split split, int64_t index, int64_t batchSize) const
{
    if (isInParts(split))
        std::tie(split, index) = partOf(index, batchSize);
    return batches(split).evaluation(index, batchSize);
}

/// Of a part its targets, of all that was read every token.
int64_t TextDataset::places(Split split) const
{
    return split == Split::All ? m_loaded.tokens.size() : range(split).count;
}

/// Where the text that has this token ends among the tokens.
int64_t TextDataset::endOfText(int64_t token) const
{
    int64_t end = m_loaded.tokens.size();
    if (m_loaded.isOneText)
        return end;
    for (const Split split : {Split::Train, Split::Validation, Split::Test}) {
        const TargetRange targets = range(split);
        const int64_t begin = targets.first - targets.before - 1;
        if (targets.count > 0 && begin > token)
            end = std::min(end, begin);
    }
    return end;
}

/// What ends a text is read, and nothing is asked for there.
Batch TextDataset::stretch(Split split, int64_t at, int64_t length) const
{
    assert(at >= 0 && at < places(split) && length >= 1);
    const TargetRange targets = range(split);
    const int64_t begin = split == Split::All ? at : targets.first - 1 + at;
    const int64_t textEnd = split == Split::All ? endOfText(begin) : targets.first + targets.count;
    const int64_t end = std::min(begin + length, split == Split::All ? textEnd : textEnd - 1);
    Batch batch;
    batch.steps = end - begin;
    batch.sequences = 1;
    batch.tokens = m_loaded.tokens.slice(begin, end - begin);
    batch.targets.assign(batch.tokens.size(), kIgnoredTarget);
    const auto asked = m_loaded.tokens.slice(begin + 1, std::min(end + 1, textEnd) - begin - 1);
    std::copy(asked.begin(), asked.end(), batch.targets.begin());
    batch.fresh = {1};
    return batch;
}

int64_t TextDataset::warmUp(Split split) const
{
    return isInParts(split) ? 0 : batches(split).windows().warmUp();
}

std::string TextDataset::evaluationText(Split split) const
{
    const std::string unit = unitName(m_loaded.unit);
    const auto words = [&](Split part) {
        const TargetRange targets = range(part);
        const bool isFirst = part == Split::Train || part == Split::All || m_loaded.isOneText || targets.before > 0;
        const std::string& name = isFirst                     ? m_source.name
                                  : part == Split::Validation ? m_source.validationName
                                                              : m_source.testName;
        const int64_t text = targets.first - targets.before - 1; // where it begins among the tokens
        const int64_t all = m_loaded.isOneText ? m_loaded.preview.characters
                            : isFirst          ? m_loaded.firstText
                                               : targets.count + 1;
        return fmt::format("{}s {} to {} of {} of {}, {}", unit, grouped(targets.first - text + 1),
                           grouped(targets.first - text + targets.count), grouped(all), name,
                           batches(part).windows().evaluationText(unit));
    };
    if (!isInParts(split))
        return words(split);
    std::string all;
    for (const Split part : {Split::Train, Split::Validation, Split::Test})
        if (has(part))
            all += (all.empty() ? "" : "; ") + words(part);
    return all;
}

std::optional<int64_t> TextDataset::tokensIn(Split split) const
{
    switch (split) {
    case Split::Train: return m_loaded.preview.training;
    case Split::Validation: return m_loaded.preview.validation;
    case Split::Test: return m_loaded.preview.test;
    case Split::All: break;
    }
    return m_loaded.preview.characters;
}

/// Also one that is input only.
int64_t TextDataset::firstToken(Split split) const
{
    return split == Split::All ? 0 : range(split).first - (*tokensIn(split) - range(split).count);
}

std::vector<int32_t> TextDataset::beginning(Split split, int64_t count) const
{
    return m_loaded.tokens.slice(firstToken(split), std::min(count, *tokensIn(split)));
}

/// What the best possible model loses on the portion, which lies behind the training part; counts its targets.
double TextDataset::natsOf(const Portion& portion, int64_t& targets) const
{
    const int64_t first = range(portion.split).first - m_loaded.preview.training;
    double nats = 0;
    for (const Stretch& each : batches(portion.split).windows().evaluated(batchesIn(portion), portion.batchSize)) {
        nats += m_nats.at(static_cast<size_t>(first + each.end)) - m_nats.at(static_cast<size_t>(first + each.from));
        targets += each.end - each.from;
    }
    return nats;
}

std::optional<double> TextDataset::entropyFloor(const Portion& portion) const
{
    const bool whole = portion.batches == 0;
    int64_t targets = 0;
    switch (portion.split) {
    case Split::Train: return whole ? m_source.trainingFloor : std::nullopt;
    case Split::Validation:
    case Split::Test:
        if (m_nats.empty())
            return std::nullopt;
        if (const double nats = natsOf(portion, targets); targets > 0)
            return nats / static_cast<double>(targets);
        return std::nullopt;
    case Split::All: break;
    }
    if (!whole || m_nats.empty() || !m_source.trainingFloor)
        return std::nullopt;
    const auto trained = static_cast<double>(m_loaded.training.count);
    return (*m_source.trainingFloor * trained + m_nats.back()) / static_cast<double>(range(Split::All).count);
}

const NgramBaseline& TextDataset::ngrams() const
{
    std::call_once(m_counted, [this] {
        m_ngrams = NgramBaseline::shared({m_loaded.tokens, m_loaded.training, m_loaded.validation, m_loaded.test,
                                          classes(), unitName(m_loaded.unit)});
    });
    return *m_ngrams;
}

std::string TextDataset::whyNoBaseline(const Portion& portion) const
{
    if (!m_options.toTrain)
        return "n-grams are counted on the training text, and this text is not read as it was for training";
    if (portion.split == Split::Train || portion.split == Split::All)
        return "n-grams are counted on the training part itself";
    if (!has(portion.split))
        return fmt::format("there is no {} part", splitWord(portion.split));
    return ngrams().why;
}

std::optional<Baseline> TextDataset::baseline(const Portion& portion) const
{
    if (!whyNoBaseline(portion).empty())
        return std::nullopt;
    return ngrams().over(portion.split,
                         batches(portion.split).windows().evaluated(batchesIn(portion), portion.batchSize));
}

std::string TextDataset::describe() const
{
    const std::string unit = unitName(m_loaded.unit);
    const std::string& name = m_loaded.preview.recognised.empty() ? m_source.name : m_loaded.preview.recognised;
    const std::string test =
        m_loaded.preview.test > 0 ? fmt::format(", {} for testing", grouped(m_loaded.preview.test)) : std::string();
    return fmt::format("{}: {}, {} different; {} for training, {} for validation{}", name,
                       counted(m_loaded.preview.characters, unit), grouped(classes()),
                       grouped(m_loaded.preview.training), grouped(m_loaded.preview.validation), test);
}

} // namespace unroll
