// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::format {

/// What stands before the data of a .npy file (numpy.lib.format, versions 1.0 to 3.0).
struct NpyHeader {
    DType dtype = DType::F32;
    bool fortranOrder = false;
    std::vector<std::int64_t> shape;
    std::size_t dataAt = 0; // bytes from the start of the file
    std::uint64_t dataBytes = 0;
};

/// A header never takes more than this, magic and length included; numpy's own limit is lower.
inline constexpr std::size_t npyHeaderLimit = 16'384;

/// numpy's name for the type, e.g. "<f4"; nothing for types that numpy does not have (BF16, F8, F6, F4).
std::optional<std::string_view> npyDescr(DType dtype);

/// The header of a C-ordered array, padded to 64 bytes. The type has an npyDescr.
std::string npyHeader(DType dtype, std::span<const std::int64_t> shape);

/// Reads the header at the start of `bytes` (the whole file, or its first npyHeaderLimit bytes). An error's place is an
/// offset as a decimal number. Python objects (pickle), strings, records and big-endian numbers are refused.
Result<NpyHeader> parseNpyHeader(std::string_view bytes);

/// Copies an array in Fortran order (first index fastest) to C order. Both spans hold the whole array of `itemBytes`
/// wide elements.
void reorderToC(std::span<const std::byte> fortran, std::span<std::byte> c, std::span<const std::int64_t> shape,
                std::size_t itemBytes);

} // namespace unroll::format
