// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace unroll {

/// Bytes of memory this process may still take: the machine's, or less where a control group says so. The largest
/// number there is where nothing can be learned.
std::uint64_t availableMemory();

/// The control groups' part of it: groups nest, and the tightest one on the way from the root binds. `root` is the
/// folder of the hierarchy (version 2), `membership` what /proc/self/cgroup says. The largest number there is where no
/// group has a limit.
std::uint64_t memoryOfControlGroups(const std::filesystem::path& root, const std::string& membership);

} // namespace unroll
