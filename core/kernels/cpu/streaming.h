// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::kernels {

constexpr std::uintptr_t kCacheLine = 64;

/// Arrays from this size on are written past the caches: most of such an array is gone from them when the pass ends.
constexpr std::int64_t kStreamedBytes = std::int64_t(8) << 20;

/// Whether rows of an array of so many bytes that begin as this one does are written past the caches.
inline bool isStreamed(const void* row, std::int64_t arrayBytes)
{
    return arrayBytes >= kStreamedBytes && reinterpret_cast<std::uintptr_t>(row) % kCacheLine == 0;
}

} // namespace unroll::kernels
