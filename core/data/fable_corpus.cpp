// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/fable_corpus.h"

#include "core/base/number_text.h"
#include "core/data/corpus_story.h"

#include <cassert>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr uint64_t kFable = 0x6661626C'0001; // purpose of the stream of random numbers
constexpr int64_t kMaxCharacters = 1'000'000'000;

} // namespace

FableCorpus makeFableCorpus(uint64_t seed, int64_t characters, double validationFraction, double testFraction)
{
    FableCorpus corpus;
    struct Part {
        std::string& text;
        int64_t& fables;
        size_t end; // characters of the corpus after which the next part begins
        double information = 0;
    };
    const Division ends = divided(characters, validationFraction, testFraction);
    std::vector<Part> parts{{corpus.training, corpus.trainingFables, static_cast<size_t>(ends.training)},
                            {corpus.validation, corpus.validationFables, static_cast<size_t>(ends.validation)}};
    if (testFraction > 0)
        parts.push_back({corpus.test, corpus.testFables, static_cast<size_t>(characters)});
    size_t told = 0;
    uint64_t fable = 0;
    double expected = 0;
    for (Part& part : parts)
        while (part.text.empty() || told < part.end) {
            ScriptWriter writer(Random(seed, kFable, fable++));
            tellFable(writer);
            part.text += writer.text();
            ++part.fables;
            part.information += writer.information();
            expected += writer.expected();
            told += writer.text().size();
        }
    corpus.trainingFloor = parts[0].information / static_cast<double>(corpus.training.size() - 1);
    corpus.validationFloor = parts[1].information / static_cast<double>(corpus.validation.size());
    corpus.expectedEntropy = expected / static_cast<double>(told);
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
    if (!(options.testFraction >= 0 && options.testFraction + options.validationFraction < 1))
        return fail(fmt::format("expected a test fraction of at least 0 that leaves something to train on; got {}",
                                options.testFraction),
                    "test_fraction");
    FableCorpus corpus =
        makeFableCorpus(options.corpusSeed, options.characters, options.validationFraction, options.testFraction);
    TextSource source;
    const Result<FableReading> heldOut = readFables(corpus.validation + corpus.test);
    if (heldOut)
        source.nats.assign(heldOut->record.nats.begin(), heldOut->record.nats.end());
    source.name = fmt::format("fables (corpus seed {})", options.corpusSeed);
    source.text = std::move(corpus.training);
    source.validationName = source.testName = source.name;
    source.validationText = std::move(corpus.validation);
    source.testText = std::move(corpus.test);
    source.follow = true;
    source.trainingFloor = corpus.trainingFloor;
    source.expectedEntropy = corpus.expectedEntropy;
    TextOptions text;
    text.order = options.order;
    text.steps = options.steps;
    text.vocabularyLimit = options.vocabularyLimit;
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
            return fail("the text is not in the grammar from here on",
                        fmt::format("character {}", grouped(static_cast<int64_t>(reader.at()))));
        reading.information += reader.information();
        ++reading.fables;
        at = reader.at();
    }
    return reading;
}

} // namespace unroll
