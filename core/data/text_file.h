// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>

namespace unroll {

/// The whole file. Errors name it:
/// missing, a directory or device, unreadable, empty, or `memoryPerByte` times its size beyond `memoryLimit` or beyond
/// 1.5 GB; the last two by its size alone, unread.
Result<std::string> readFile(const std::filesystem::path& file, uint64_t memoryLimit, uint64_t memoryPerByte = 1);

} // namespace unroll
