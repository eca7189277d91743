// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/data_note.h"
#include "core/data/windows.h"

#include <filesystem>
#include <optional>
#include <string>

namespace unroll {

/// What the Text block says of a text, for who divides it into tokens elsewhere.
struct TextSurvey {
    bool records = false;          // JSON Lines
    std::optional<Division> bytes; // of a text whose papers divide it; nothing: its files are its parts, or nobody's
    std::vector<DataNote> notes;   // places that are not UTF-8, line ends, what is left out, size and hash
};

/// Reads the text once, as characters; of JSON Lines the field, which is "text" where none is named. Nothing: it has
/// files that only Parquet's readers know, or textParts() has an error. Errors: not a text, a record that cannot be
/// read, a field of another kind of file.
Result<std::optional<TextSurvey>> surveyText(const std::filesystem::path& file, const std::string& field);

} // namespace unroll
