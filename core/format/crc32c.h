// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace unroll::format {

/// CRC-32C (Castagnoli: polynomial 0x1edc6f41 reflected, RFC 3720 appendix B.4).
std::uint32_t crc32c(std::string_view bytes);

} // namespace unroll::format
