// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

namespace unroll {

/// Where a run keeps what lenses showed while it trained: the folder that core/frames reads and writes.
std::filesystem::path framesFolder(const std::filesystem::path& run);
/// How many frames are there.
std::int64_t countKeptFrames(const std::filesystem::path& run);

} // namespace unroll
