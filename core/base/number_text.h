// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// 1115394 -> "1,115,394", whatever the locale.
std::string grouped(int64_t number);

/// (1, "character") -> "1 character", (3, "character") -> "3 characters", (3, "batch") -> "3 batches".
std::string counted(int64_t number, const std::string& noun);

/// The first `most` of them: "a, b and 3 more".
std::string listed(const std::vector<std::string>& names, size_t most = 6);

/// Bytes as a user reads them: "512 bytes", "1.1 MB" (10^6), "2.4 GB".
std::string sizeText(uint64_t bytes);

} // namespace unroll
