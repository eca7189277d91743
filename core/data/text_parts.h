// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/data_note.h"
#include "core/data/published_texts.h"
#include "core/data/text_stream.h"

#include <filesystem>

namespace unroll {

/// How a text is divided into parts where no file is named for one.
enum class TextSplit {
    Published, // as its publishers do: by the files of a folder or an archive, or as the papers on it divide it
    Fractions  // by fractions of one text
};

/// One text of those that a path stands for.
struct TextPart {
    std::string name;                         // how sentences call it; empty: there is none
    std::shared_ptr<const TextStream> stream; // null, likewise
};

/// What a path stands for.
struct TextParts {
    TextPart text, validation, test;
    const PublishedText* published = nullptr; // what the text is called as; its bytes are not compared yet
    std::vector<DataNote> notes;
};

/// A text file; JSON Lines, of which `field` is the text; a folder or a zip archive with one text or with several, one
/// of which is called train, and others valid (validation, val, dev) and test; a file called train beside such others;
/// ARCHIVE.zip/NAME. A readme is no text; a note says what else is left out. The parts of `split` alone are there.
/// Errors name the file: missing, unreadable, of another kind, several texts none of which is for training, or a field
/// where there is none.
Result<TextParts> textParts(const std::filesystem::path& file, const std::string& field, TextSplit split);
/// By its name: .jsonl, .ndjson, .json.
bool isJsonLines(const std::string& name);
/// Notes of parts that are JSON Lines and read as they are, since `field` is empty.
void noteMissingField(const std::string& field, TextParts& parts);
/// One file, without looking for parts of it: an archive with one text, JSON Lines, or any other.
Result<TextPart> textPart(const std::filesystem::path& file, const std::string& field);

} // namespace unroll
