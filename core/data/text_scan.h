// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/character_reader.h"
#include "core/data/code_points.h"
#include "core/data/text_stream.h"
#include "core/data/token_store.h"
#include "core/data/vocabulary.h"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace unroll {

/// What one reading of a text finds in it.
struct ScannedText {
    CodePoints occurs; // of characters
    TextReport report;
    int64_t units = 0;
    int64_t unknownWords = 0; // that are "<unk>" in the text
    std::string head;         // the first bytes
    std::string hash;         // SHA-256 of its bytes
};

/// Without a stream: nothing.
Result<ScannedText> scanText(const TextStream* stream, TextUnit unit);

/// Errors: nothing in it, or bytes that are no text and are not read as bytes.
Result<void> checkScanned(const ScannedText& scanned, const std::string& name, TextUnit unit);

/// The words among the first `units`, the most frequent ones first; `limit` classes with <unk> and <eos>, 0: all.
/// Errors: a limit that leaves no word, more different ones than can be counted.
Result<std::vector<std::string>> frequentWords(const TextStream& stream, const std::string& name, int64_t units,
                                               int64_t limit);

/// The training text with others behind it; null where there is none.
using TextStreams = std::array<std::shared_ptr<const TextStream>, 3>;

/// All words of the texts in their order, as encodeTexts() makes tokens of them.
Result<void> eachWord(const TextStreams& streams, const std::function<void(std::string_view word)>& take);

/// Tokens of the texts: in memory where they take at most `memoryLimit` bytes there, else in files. The vocabulary is
/// of the unit, and characters are all in it.
Result<TokenStore> encodeTexts(const TextStreams& streams, const std::array<ScannedText, 3>& scanned, TextUnit unit,
                               const Vocabulary& vocabulary, uint64_t memoryLimit);

} // namespace unroll
