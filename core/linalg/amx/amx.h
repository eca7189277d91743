// SPDX-License-Identifier: GPL-3.0-or-later
// AMX: eight registers of 16 rows of 64 bytes, and products of two of them. Its intrinsics are assembly that does not
// say what memory it reads.
#pragma once

#if defined(__x86_64__)

#include <cstdint>
#include <immintrin.h>

namespace unroll::linalg {

constexpr std::int64_t kTileLines = 16, kTileLineBytes = 64;
constexpr std::int64_t kTileBytes = kTileLines * kTileLineBytes;

/// Whether this process may use it, and AVX-512 with VNNI: the processor has both, and the system gives the registers
/// room.
bool hasAmx();

/// As the processor reads it: all eight registers whole.
struct TileConfig {
    std::uint8_t palette = 1, start = 0, reserved[14] = {};
    std::uint16_t lineBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t lines[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

/// The registers of this thread, to the end of a scope.
class ConfiguredTiles {
public:
    __attribute__((target("amx-tile"))) ConfiguredTiles()
    {
        alignas(64) static constexpr TileConfig config;
        _tile_loadconfig(&config);
    }
    __attribute__((target("amx-tile"))) ~ConfiguredTiles() { _tile_release(); }
    ConfiguredTiles(const ConfiguredTiles&) = delete;
    ConfiguredTiles& operator=(const ConfiguredTiles&) = delete;
};

/// Before registers are loaded from what was just written.
inline void writtenBeforeTiles()
{
    __asm__ volatile("" ::: "memory");
}

} // namespace unroll::linalg

#endif // __x86_64__
