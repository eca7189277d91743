// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll {

/// Bytes of memory this process may still take: the machine's, or less where a control group says so. The largest number there is where
/// nothing can be learned.
std::uint64_t availableMemory();

} // namespace unroll
