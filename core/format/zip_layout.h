// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

// Signatures and fixed lengths of zip records (PKWARE's APPNOTE 6.3.10, sections 4.3.7 to 4.5.3).
namespace unroll::format::zip {

inline constexpr std::uint32_t localSignature = 0x04034b50;
inline constexpr std::uint32_t directorySignature = 0x02014b50;
inline constexpr std::uint32_t endSignature = 0x06054b50;
inline constexpr std::uint32_t end64Signature = 0x06064b50;
inline constexpr std::uint32_t locatorSignature = 0x07064b50;

inline constexpr std::size_t localBytes = 30;
inline constexpr std::size_t directoryBytes = 46;
inline constexpr std::size_t endBytes = 22;
inline constexpr std::size_t end64Bytes = 56;
inline constexpr std::size_t locatorBytes = 20;

inline constexpr std::uint16_t zip64Extra = 0x0001;
inline constexpr std::uint16_t stored = 0;
inline constexpr std::uint16_t encryptedFlag = 0x0001;
inline constexpr std::uint16_t utf8Flag = 0x0800;
inline constexpr std::uint32_t seeZip64 = 0xffffffff;
inline constexpr std::uint16_t seeZip64Short = 0xffff;

} // namespace unroll::format::zip
