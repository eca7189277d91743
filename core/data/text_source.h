// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/text_batches.h"
#include "core/data/text_parts.h"
#include "core/data/tokenizer.h"

#include <filesystem>

namespace unroll {

struct TextOptions {
    std::filesystem::path file; // see textParts(), or tokens that were prepared
    std::string field;          // of JSON Lines: the text of an object
    TextSplit split = TextSplit::Published;
    std::filesystem::path validationFile; // empty: a part of `file` behind the training part
    std::filesystem::path testFile;       // empty: the last part of `file`
    double validationFraction =
        0.1; // of the characters of `file`, where no file is named; the training part takes what is left,
    double testFraction = 0; // floor(n * (1 - fractions)), and the test part the end
    bool toTrain = true;     // false: what training alone needs may be missing
    TextUnit unit = TextUnit::Character;
    ReadingOrder order = ReadingOrder::Streams;
    int64_t steps = 64; // T
    std::string
        alphabet; // UTF-8, one character a class: a trained model's; empty: the characters of the text, by code point
    std::vector<std::string> words;    // a trained model's, by class; empty: those of the training part
    int64_t vocabularyLimit = 0;       // classes of words, the most frequent ones; 0: all
    uint64_t memoryLimit = 64'000'000; // bytes that tokens may take in memory: more are read from files
};

/// A text in memory or in files, with what is known of it.
struct TextSource {
    std::string name;               // how sentences call it
    std::string text;               // bytes
    std::string validationName;     // how sentences call the second text
    std::string validationText;     // empty: the validation part is in `text`
    std::string testName, testText; // likewise
    std::shared_ptr<const TextStream> stream{}, validationStream{}, testStream{}; // instead of texts in memory
    const PublishedText* published = nullptr;                                     // what the text is called as
    std::vector<DataNote> notes{};
    bool follow = false; // each text goes on where the one before ends: its first character is a target, too
    std::optional<double> trainingFloor, expectedEntropy; // nats per target
    std::vector<float>
        nats; // of each character behind the training text, what the best possible model loses there; empty: not known
};

/// What an inspector shows before a run: read without looking at window or batch sizes.
struct TextPreview {
    int64_t bytes = 0, characters = 0;              // of all that was read
    int64_t training = 0, validation = 0, test = 0; // characters
    std::vector<std::string> alphabet;              // labels
    std::vector<std::string> notices;               // plain sentences
    std::string hash;                               // SHA-256 of the file
    std::string recognised;                         // "tiny Shakespeare", or empty
    std::string beginning;                          // first 400 characters at most, valid UTF-8
    std::vector<DataNote> notes;                    // on where it comes from
};

/// A text as classes: the training part with the validation part behind it, and the test part at the end.
struct LoadedText {
    std::shared_ptr<const Vocabulary> vocabulary;
    TextUnit unit = TextUnit::Character;
    TokenStore tokens;
    TargetRange training, validation, test; // counts may be 0 in a tiny text
    bool isOneText = true;                  // its parts follow each other, as in one file
    int64_t firstText = 0;                  // characters of the first text
    TextPreview preview;
};

/// The files of the options, opened. Errors name the file and say why.
Result<TextSource> readSource(const TextOptions& options);

/// Turns a text into classes. It is read twice, of words three times, four where <unk> stands in it; whatever its size,
/// tokens within the limit of memory are all that is kept of it there, and others are written to preparedFolder() once.
/// Errors: nothing in it, UTF-16, too many different characters or words, a character that the given alphabet lacks,
/// fractions that are none, a limit that leaves no word.
Result<LoadedText> loadText(const TextSource& source, const TextOptions& options);
/// Of a file of tokens that was prepared elsewhere.
Result<LoadedText> loadPrepared(const TextOptions& options);

} // namespace unroll
