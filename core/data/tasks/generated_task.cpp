// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/generated_task.h"

#include "core/base/number_text.h"
#include "core/data/permutation.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace unroll {

namespace {

constexpr int64_t kMostBatchTokens = int64_t{1} << 31;

// Purposes of the streams of random numbers; a training seed reaches the first and the order alone.
constexpr int kTrainingStream = 1, kValidationStream = 2, kProbeStream = 3, kSetStream = 4, kOrderStream = 5,
              kKeyStream = 6, testStream = 7;

uint64_t keyOf(std::string_view tag)
{
    assert(tag.size() == 4);
    uint64_t key = 0;
    for (const char letter : tag)
        key = key << 8 | static_cast<unsigned char>(letter);
    return key << 16;
}

/// All of few labels, the ends of many.
std::string fewOrEnds(const std::vector<std::string>& labels)
{
    constexpr size_t few = 12;
    if (labels.size() <= few)
        return fmt::format("{}", fmt::join(labels, " "));
    return fmt::format("{} {} {} ... {}", labels[0], labels[1], labels[2], labels.back());
}

/// The number of the character that begins at this byte, from 1.
std::ptrdiff_t characterAt(std::string_view text, size_t byte)
{
    const auto begins = [](char each) { return (static_cast<unsigned char>(each) & 0xC0) != 0x80; };
    return 1 + std::ranges::count_if(text.substr(0, byte), begins);
}

/// The longest of the labels that the text begins with.
auto longestAt(const std::vector<std::string>& labels, std::string_view text)
{
    auto longest = labels.end();
    for (auto label = labels.begin(); label != labels.end(); ++label)
        if (text.starts_with(*label) && (longest == labels.end() || label->size() > longest->size()))
            longest = label;
    return longest;
}

} // namespace

void Draft::token(int64_t step, int64_t token)
{
    m_batch.tokens[at(step)] = static_cast<int32_t>(token);
}

void Draft::ask(int64_t step, int64_t target, bool counts)
{
    m_batch.targets[at(step)] = static_cast<int32_t>(target);
    m_batch.scored[at(step)] = counts ? 1 : 0;
}

float& Draft::number(std::vector<float>& numbers, int64_t step, int64_t channel) const
{
    const size_t channels = numbers.size() / static_cast<size_t>(m_batch.steps * m_batch.sequences);
    return numbers[at(step) * channels + static_cast<size_t>(channel)];
}

void Draft::feature(int64_t step, int64_t channel, float value)
{
    number(m_batch.features, step, channel) = value;
}

void Draft::askValue(int64_t step, int64_t channel, float value)
{
    number(m_batch.values, step, channel) = value;
}

GeneratedTask::GeneratedTask(std::string_view tag, int64_t evaluationSequences)
    : m_tag(keyOf(tag)), m_evaluationSequences(evaluationSequences)
{}

Result<void> GeneratedTask::within(std::string_view name, int64_t value, int64_t lowest, int64_t highest)
{
    if (value < lowest || value > highest)
        return fail(fmt::format("expected {} to {}; got {}", lowest, highest, value), std::string(name));
    return {};
}

int64_t GeneratedTask::stepsIn(Split) const
{
    return steps();
}

Result<void> GeneratedTask::accepts(int64_t batchSize) const
{
    if (batchSize < 1)
        return fail(fmt::format("expected a batch of at least 1 sequence; got {}", batchSize), "batch");
    const int64_t longest = std::max(stepsIn(Split::Train), stepsIn(Split::Validation));
    if (batchSize > kMostBatchTokens / longest)
        return fail(
            fmt::format("a batch of {} sequences of {} steps exceeds {} tokens", batchSize, longest, kMostBatchTokens),
            "batch");
    return {};
}

Batch GeneratedTask::blank(Split split, int64_t batchSize) const
{
    Batch batch;
    batch.steps = stepsIn(split);
    batch.sequences = batchSize;
    const auto size = static_cast<size_t>(batch.steps * batchSize);
    if (classes() > 0) {
        batch.tokens.assign(size, 0);
        batch.targets.assign(size, kIgnoredTarget);
        batch.scored.assign(size, 0);
    } else {
        const NumberFacts facts = numbers();
        batch.features.assign(size * static_cast<size_t>(facts.inputs), 0);
        batch.values.assign(size * static_cast<size_t>(facts.targets), std::numeric_limits<float>::quiet_NaN());
    }
    batch.fresh.assign(static_cast<size_t>(batchSize), 1);
    return batch;
}

Random GeneratedTask::stream(uint64_t seed, int purpose, int64_t index) const
{
    return Random(seed, m_tag + static_cast<uint64_t>(purpose), static_cast<uint64_t>(index));
}

Random GeneratedTask::fixedStream(Split split, int64_t index) const
{
    return stream(0,
                  split == Split::Train  ? kProbeStream
                  : split == Split::Test ? testStream
                                         : kValidationStream,
                  index);
}

Random GeneratedTask::setKeys(int64_t index) const
{
    return stream(0, kKeyStream, index);
}

Batch GeneratedTask::trainingBatch(int64_t step, int64_t batchSize, uint64_t seed) const
{
    assert(step >= 0 && accepts(batchSize));
    Batch batch = blank(Split::Train, batchSize);
    for (int64_t b = 0; b < batchSize; ++b)
        writeTrained({batch, b}, seed, step * batchSize + b);
    return batch;
}

void GeneratedTask::writeTrained(Draft draft, uint64_t seed, int64_t place) const
{
    const std::optional<int64_t> set = trainingSequences();
    if (!set)
        return write(draft, Split::Train, place, stream(seed, kTrainingStream, place));
    const Permutation order(stream(seed, kOrderStream, place / *set), static_cast<uint64_t>(*set));
    writeFixed(draft, Split::Train, static_cast<int64_t>(order(static_cast<uint64_t>(place % *set))));
}

/// Of training without end, what whole-split evaluation reads of its kind.
void GeneratedTask::writeFixed(Draft draft, Split split, int64_t index) const
{
    const std::optional<int64_t> set = split == Split::Train ? trainingSequences() : std::nullopt;
    const int64_t number = set ? index % *set : index;
    write(draft, split, number, set ? stream(0, kSetStream, number) : fixedStream(split, number));
}

int64_t GeneratedTask::batchesInSplit(Split split, int64_t batchSize) const
{
    assert(batchSize > 0);
    return split == Split::All ? batchesInParts(batchSize) : (m_evaluationSequences - 1) / batchSize + 1;
}

Batch GeneratedTask::evaluationBatch(Split split, int64_t index, int64_t batchSize) const
{
    assert(index >= 0 && index < batchesInSplit(split, batchSize));
    if (split == Split::All)
        std::tie(split, index) = partOf(index, batchSize);
    Batch batch = blank(split, batchSize);
    const int64_t real = std::min(batchSize, m_evaluationSequences - index * batchSize);
    for (int64_t b = 0; b < real; ++b)
        writeFixed({batch, b}, split, index * batchSize + b);
    for (int64_t b = real; b < batchSize; ++b)
        batch.maskFrom(0, b);
    return batch;
}

std::string GeneratedTask::evaluationText(Split split) const
{
    const std::string sequences = counted(m_evaluationSequences, "sequence");
    switch (split) {
    case Split::Train: return sequences + " drawn as in training, each from a zero state";
    case Split::Validation: return sequences + " of the validation set, each from a zero state";
    case Split::Test: return sequences + " of the test set, each from a zero state";
    case Split::All: break;
    }
    return fmt::format("{} each drawn as in training, of validation{}, every one from a zero state", sequences,
                       has(Split::Test) ? " and of the test" : "");
}

void GeneratedTask::readPortion(const Portion& portion, const std::function<void(const Batch&)>& read) const
{
    const int64_t batches = batchesIn(portion);
    for (int64_t i = 0; i < batches; ++i)
        read(evaluationBatch(portion.split, i, portion.batchSize));
}

void GeneratedTask::readStreams(const Portion& portion, const std::function<void(Split, Random)>& read) const
{
    const int64_t batches = batchesIn(portion);
    for (int64_t i = 0; i < batches; ++i) {
        const auto [split, index] =
            portion.split == Split::All ? partOf(i, portion.batchSize) : std::pair(portion.split, i);
        const int64_t end = std::min((index + 1) * portion.batchSize, evaluationSequences());
        for (int64_t number = index * portion.batchSize; number < end; ++number)
            read(split, fixedStream(split, number));
    }
}

std::optional<int64_t> GeneratedTask::tokensIn(Split split) const
{
    if (split == Split::All)
        return std::nullopt; // training has no end, or is not part of what is evaluated
    const std::optional<int64_t> sequences = split == Split::Train ? trainingSequences() : m_evaluationSequences;
    if (!sequences)
        return std::nullopt;
    return *sequences * stepsIn(split);
}

std::optional<double> GeneratedTask::entropyFloor(const Portion&) const
{
    return 0.0;
}

std::optional<double> GeneratedTask::entropyExpected(Split) const
{
    return 0.0;
}

Result<std::vector<int32_t>> GeneratedTask::encode(std::string_view text) const
{
    const std::vector<std::string> labels = alphabet();
    if (text.empty())
        return std::vector<int32_t>{};
    if (labels.empty())
        return fail("this task reads numbers, not text", "prompt");
    const bool spaced = std::any_of(labels.begin(), labels.end(), [](const auto& label) { return label.size() > 1; });
    std::vector<int32_t> tokens;
    for (size_t at = 0; at < text.size();) {
        if (spaced && text[at] == ' ') {
            ++at;
            continue;
        }
        const auto found = longestAt(labels, text.substr(at));
        if (found == labels.end())
            return fail("the task has no such symbol; it has " + fewOrEnds(labels),
                        fmt::format("character {}", characterAt(text, at)));
        tokens.push_back(static_cast<int32_t>(found - labels.begin()));
        at += found->size();
    }
    return tokens;
}

std::string GeneratedTask::written(const std::vector<int32_t>& tokens, bool begins) const
{
    const std::vector<std::string> labels = alphabet();
    std::string text;
    for (const int32_t token : tokens) {
        const std::string& label = labels.at(static_cast<size_t>(token));
        if (label.size() > 1 && !(begins && text.empty()))
            text += ' ';
        text += label;
    }
    return text;
}

} // namespace unroll
