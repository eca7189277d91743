// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/text_source.h"

namespace unroll {

/// Units of each text. Nothing: there is no such text, and the part is one of the first.
struct TextSizes {
    int64_t first = 0;
    std::optional<int64_t> validation, test;
};

/// Of the parts that are cut from the first text. The error's place is the parameter.
Result<void> checkFractions(const TextOptions& options, bool cutsValidation, bool cutsTest);

/// Cuts the first text where no other one is there, and says which tokens of each part have a token before them.
/// `follow`: each text goes on where the one before ends.
void cutText(LoadedText& loaded, bool follow, const TextSizes& sizes, const TextOptions& options);

} // namespace unroll
