// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/corpus_script.h"
#include "core/data/text_dataset.h"

namespace unroll {

/// The bundled corpus: little fables told by a probabilistic grammar, so that the best possible loss is known exactly.
struct FableOptions {
    uint64_t corpusSeed = 1;        // names the text; a run's own seed does not change it
    int64_t characters = 1'200'000; // at least; the last fable is told to its end
    double validationFraction = 0.1;
    double testFraction = 0;
    ReadingOrder order = ReadingOrder::Streams;
    int64_t steps = 64;          // T
    int64_t vocabularyLimit = 0; // of words, which these are not read as: a note says so
};

/// Fables are independent of each other, and the split falls between two of them, so that the information of the
/// choices made in one part, divided by the characters of that part, is its entropy rate and no model of any memory can
/// expect to do better. What is counted is what is scored: the first character of a fable is always the same, so that
/// leaving the very first one out (it has no input) takes nothing from the sum.
struct FableCorpus {
    std::string training, validation, test;
    int64_t trainingFables = 0, validationFables = 0, testFables = 0;
    double trainingFloor = 0, validationFloor = 0; // nats per target: -ln p of the choices that were made
    double expectedEntropy = 0; // the same with every choice's -ln p replaced by its menu's entropy, over all parts
};

/// Fable i is a pure function of (seed, i).
FableCorpus makeFableCorpus(uint64_t seed, int64_t characters, double validationFraction, double testFraction = 0);

/// The corpus as a dataset. Errors: a size or fraction that makes no corpus, and those of TextDataset.
Result<std::shared_ptr<const TextDataset>> fableDataset(const FableOptions& options);

/// A text read back into the choices of the grammar.
struct FableReading {
    int64_t fables = 0;
    double information = 0; // sum of -ln p of the choices
    ScriptRecord record;    // the choices, and what each character tells: record.nats adds up to `information`
};

/// The error says at which character a text that is not a sequence of whole fables leaves the grammar.
Result<FableReading> readFables(std::string_view text);

} // namespace unroll
