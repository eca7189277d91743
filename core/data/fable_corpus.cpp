// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/fable_corpus.h"

#include "core/base/number_words.h"
#include "core/data/corpus_story.h"

#include <cassert>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr uint64_t kFable = 0x6661626C'0001; // purpose of the stream of random numbers
constexpr int64_t kMaxCharacters = 1'000'000'000;

} // namespace

FableCorpus makeFableCorpus(uint64_t seed, int64_t characters, double validationFraction)
{
    FableCorpus corpus;
    const auto wanted = static_cast<size_t>(characters);
    const auto training = static_cast<size_t>(static_cast<double>(characters) * (1.0 - validationFraction));
    double information[2] = {0, 0}, expected = 0;
    while (corpus.validation.empty() || corpus.training.size() + corpus.validation.size() < wanted) {
        ScriptWriter writer(
            Random(seed, kFable, static_cast<uint64_t>(corpus.trainingFables + corpus.validationFables)));
        tellFable(writer);
        const bool first = corpus.training.empty() || corpus.training.size() < training;
        (first ? corpus.training : corpus.validation) += writer.text();
        ++(first ? corpus.trainingFables : corpus.validationFables);
        information[first ? 0 : 1] += writer.information();
        expected += writer.expected();
    }
    corpus.trainingFloor = information[0] / static_cast<double>(corpus.training.size() - 1);
    corpus.validationFloor = information[1] / static_cast<double>(corpus.validation.size());
    corpus.expectedEntropy = expected / static_cast<double>(corpus.training.size() + corpus.validation.size());
    return corpus;
}

Result<std::shared_ptr<const TextDataset>> fableDataset(const FableOptions& options)
{
    if (options.characters < 1 || options.characters > kMaxCharacters)
        return fail(fmt::format("expected 1 to {} characters; got {}", grouped(kMaxCharacters), options.characters),
                    "characters");
    if (!(options.validationFraction > 0 && options.validationFraction < 1))
        return fail(fmt::format("expected a validation fraction between 0 and 1; got {}", options.validationFraction),
                    "validation_fraction");
    FableCorpus corpus = makeFableCorpus(options.corpusSeed, options.characters, options.validationFraction);
    TextSource source;
    source.name = fmt::format("fables (corpus seed {})", options.corpusSeed);
    source.text = std::move(corpus.training);
    source.validationName = source.name;
    source.validationText = std::move(corpus.validation);
    source.validationFollows = true;
    source.trainingFloor = corpus.trainingFloor;
    source.validationFloor = corpus.validationFloor;
    source.expectedEntropy = corpus.expectedEntropy;
    TextOptions text;
    text.order = options.order;
    text.steps = options.steps;
    return TextDataset::fromSource(std::move(source), text);
}

Result<FableReading> readFables(std::string_view text)
{
    FableReading reading;
    for (size_t at = 0; at < text.size();) {
        ScriptReader reader(text, at, reading.record);
        tellFable(reader);
        assert(!reader.ambiguous());
        if (reader.failed())
            return fail("the text leaves the grammar here",
                        fmt::format("character {}", grouped(static_cast<int64_t>(reader.at()))));
        reading.information += reader.information();
        ++reading.fables;
        at = reader.at();
    }
    return reading;
}

std::string retoldFables(const FableReading& reading)
{
    ScriptReplay replay(reading.record.choices);
    for (int64_t i = 0; i < reading.fables; ++i)
        tellFable(replay);
    return replay.text();
}

} // namespace unroll
