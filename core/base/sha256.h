// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace unroll {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
public:
    Sha256();
    void add(std::string_view bytes);
    /// Of all that was added, as 64 lower-case hexadecimal digits. Nothing can be added afterwards.
    std::string hex();

private:
    std::array<std::uint32_t, 8> m_digest;
    std::array<unsigned char, 64> m_rest; ///< what does not fill a block yet
    std::size_t m_kept = 0;               ///< bytes of it
    std::uint64_t m_bytes = 0;
};

/// The same of bytes in one piece.
std::string sha256(std::string_view bytes);

} // namespace unroll
