// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace unroll {

/// The gallery's experiment that a new user sees first.
inline constexpr const char* kDefaultExperiment = "fable";

/// The folder resources/ that came with the program: beside it, in ../share/unroll, in a folder above it, or in the
/// source tree it was built from; the environment variable UNROLL_RESOURCES goes before all. Empty where there is none.
std::filesystem::path resourceFolder();

/// resources/experiments.
std::filesystem::path galleryFolder();

/// The experiments in it, sorted by name.
std::vector<std::filesystem::path> galleryExperiments();

/// The file that a user means: a path to a file, or the name of a gallery experiment with or without .unroll. The error
/// lists the names.
Result<std::filesystem::path> findExperiment(const std::string& pathOrName);

} // namespace unroll
