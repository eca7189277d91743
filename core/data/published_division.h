// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/data_note.h"
#include "core/data/windows.h"

#include <filesystem>
#include <optional>

namespace unroll {

/// What a text is called as, for who divides it elsewhere than in a Text block.
struct PublishedDivision {
    std::optional<Division> bytes; // of a text whose papers divide it; nothing: its files are its parts, or nobody's
    std::vector<DataNote> notes;   // whether size and hash are those of what it is called as
};

/// As the Text block divides the text where nothing is set. Reads a text of the published size for its hash. Errors as
/// textParts() has them.
Result<PublishedDivision> publishedDivision(const std::filesystem::path& file);

} // namespace unroll
