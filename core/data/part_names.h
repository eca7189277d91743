// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// What files are called that hold one part of published data.
inline constexpr std::array<std::string_view, 1> kTrainWords{"train"}, kTestWords{"test"};
inline constexpr std::array<std::string_view, 4> kValidationWords{"valid", "validation", "val", "dev"};

/// The last part of a path, ASCII letters in lower case.
std::string loweredName(const std::filesystem::path& path);

/// Whether the word stands in a lowered name by itself: "wiki.train.raw", "tinystories-train.txt",
/// "train-00000-of-2.jsonl".
bool hasWord(const std::string& name, std::string_view word);

/// Which of several files is which part, by the words in their names; the number of names where there is none. One file
/// alone is for training, whatever it is called, and so is the only .txt where none is called train.
struct PartRoles {
    size_t train, validation, test;
};

/// Errors, at `place`: no name at all, two of one part, several of which none is for training.
Result<PartRoles> partRoles(const std::vector<std::string>& names, const std::string& place);

} // namespace unroll
