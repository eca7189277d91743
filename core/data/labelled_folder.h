// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace unroll {

/// Texts in files, a folder for each label: LABEL/*, or train/LABEL/* with test/LABEL/* beside it, as the IMDB reviews
/// of Maas et al. 2011 are published.
struct LabelledFolder {
    std::vector<std::string> texts, labels, files; // files: as sentences call them, from the folder on
    std::vector<bool> tests;                       // of each: it lies in test; empty where there is no such folder
    int64_t unlabelled = 0;                        // files in unsup, which have no label: left out
};

/// In the order of the files' names. Errors name the folder or the file: none with a text, fewer than two labels, more
/// than `memoryLimit` bytes or 200 MB in all.
Result<LabelledFolder> readLabelledFolder(const std::filesystem::path& folder, uint64_t memoryLimit);

} // namespace unroll
