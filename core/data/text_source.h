// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/text_batches.h"
#include "core/data/tokenizer.h"

#include <filesystem>

namespace unroll {

struct TextOptions {
    std::filesystem::path file;
    std::filesystem::path validationFile; // empty: the last part of `file` is the validation part
    double validationFraction = 0.1;      // of the characters; the training part takes floor(n * (1 - fraction))
    TextUnit unit = TextUnit::Character;
    ReadingOrder order = ReadingOrder::Streams;
    int64_t steps = 64; // T
    std::string
        alphabet; // UTF-8, one character a class: a trained model's; empty: the characters of the text, by code point
    uint64_t memoryLimit = 0; // bytes that reading may take; 0: what the machine has free
};

/// A text already in memory, with what is known of it.
struct TextSource {
    std::string name;               // how sentences call it
    std::string text;               // bytes
    std::string validationName;     // how sentences call the second text
    std::string validationText;     // empty: the validation part is the end of `text`
    bool validationFollows = false; // the second text goes on where the first ends: its first character is a target too
    std::optional<double> trainingFloor, validationFloor, expectedEntropy; // nats per target
};

/// What an inspector shows before a run: read without looking at window or batch sizes.
struct TextPreview {
    int64_t bytes = 0, characters = 0;    // of all that was read
    int64_t training = 0, validation = 0; // characters
    std::vector<std::string> alphabet;    // labels
    std::vector<std::string> notices;     // plain sentences
    std::string hash;                     // SHA-256 of the file
    std::string recognised;               // "tiny Shakespeare", or empty
    std::string beginning;                // first 400 characters at most, valid UTF-8
};

/// A text as classes: the training part with the validation part behind it.
struct LoadedText {
    Tokenizer tokenizer = Tokenizer::ofBytes();
    std::vector<uint16_t> tokens;
    TargetRange training, validation; // counts may be 0 in a tiny text
    TextPreview preview;
};

/// The files of the options, whole. Errors name the file and say why.
Result<TextSource> readSource(const TextOptions& options);

/// Turns a text into classes. Errors: nothing in it, UTF-16, too many different characters, a character that the given
/// alphabet lacks, a fraction that is none.
Result<LoadedText> loadText(const TextSource& source, const TextOptions& options);

} // namespace unroll
