// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/crc32c.h"

#include <array>

namespace unroll::format {
namespace {

constexpr std::array<std::uint32_t, 256> makeTable()
{
    constexpr std::uint32_t reflected = 0x82f63b78;
    std::array<std::uint32_t, 256> kCrcTable = {};
    for (std::uint32_t i = 0; i < 256; ++i) {
        kCrcTable[i] = i;
        for (int bit = 0; bit < 8; ++bit)
            kCrcTable[i] = kCrcTable[i] >> 1 ^ ((kCrcTable[i] & 1U) != 0 ? reflected : 0U);
    }
    return kCrcTable;
}

constexpr auto kCrcTable = makeTable();

} // namespace

std::uint32_t crc32c(std::string_view bytes)
{
    std::uint32_t crc = ~0U;
    for (const char c : bytes)
        crc = crc >> 8 ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xffU];
    return ~crc;
}

} // namespace unroll::format
