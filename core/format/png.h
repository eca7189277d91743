// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/file_calls.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace unroll::format {

/// A picture of `width` x `height` pixels as PNG (8-bit RGB, no alpha, said to be sRGB), by libpng. `rgb` holds the
/// rows from the top, three bytes a pixel. An error when the picture is empty, larger than a million pixels a side, or
/// `rgb` has another length.
Result<std::string> encodePng(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> rgb);

/// The same as a file that appears whole or not at all, with a mark of its kind where one is given (see own_mark.h).
Result<void> writePng(const std::filesystem::path& path, std::uint32_t width, std::uint32_t height,
                      std::span<const std::uint8_t> rgb, FileCalls& calls = systemCalls(), std::string_view kind = {});

/// A finished PNG, whoever made it, with the mark as a piece of text before its end.
std::string markedPng(std::string png, std::string_view kind);

} // namespace unroll::format
