// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/png.h"

#include "core/format/atomic_file.h"
#include "core/format/own_mark.h"

#include <fmt/format.h>
#include <png.h>
#include <string_view>
#include <zlib.h>

namespace unroll::format {
namespace {

constexpr std::uint32_t kLongestSide = 1'000'000; // libpng's own limit
constexpr std::size_t kChannels = 3;

void appendBigEndian(std::string& out, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        out += static_cast<char>(value >> shift & 0xff);
}

void appendChunk(std::string& out, std::string_view type, std::string_view data)
{
    appendBigEndian(out, static_cast<std::uint32_t>(data.size()));
    const std::size_t checkedFrom = out.size();
    out += type;
    out += data;
    const auto* checked = reinterpret_cast<const Bytef*>(out.data() + checkedFrom);
    appendBigEndian(out, static_cast<std::uint32_t>(::crc32_z(0, checked, out.size() - checkedFrom)));
}

} // namespace

Result<std::string> encodePng(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> rgb)
{
    if (width == 0 || height == 0 || width > kLongestSide || height > kLongestSide)
        return fail(fmt::format("a picture of {} x {} pixels cannot be written; sides are 1 to {}", width, height,
                                kLongestSide));
    const std::size_t rowBytes = width * kChannels;
    if (rgb.size() != rowBytes * height)
        return fail(fmt::format("a picture of {} x {} pixels takes {} bytes, {} were given", width, height,
                                rowBytes * height, rgb.size()));
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGB;
    std::string png(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
    png_alloc_size_t bytes = png.size();
    if (png_image_write_to_memory(&image, png.data(), &bytes, 0, rgb.data(), 0, nullptr) == 0)
        return fail(fmt::format("the picture cannot be written: {}", image.message));
    png.resize(bytes);
    return png;
}

Result<void> writePng(const std::filesystem::path& path, std::uint32_t width, std::uint32_t height,
                      std::span<const std::uint8_t> rgb, FileCalls& calls, std::string_view kind)
{
    auto png = encodePng(width, height, rgb);
    if (!png)
        return fail(png.error().message, path.string());
    return writeFileAtomically(path, kind.empty() ? *png : markedPng(std::move(*png), kind), calls);
}

std::string markedPng(std::string png, std::string_view kind)
{
    constexpr std::size_t endBytes = 12;
    png.resize(png.size() - endBytes);
    constexpr std::string_view keyword("Software\0", 9);
    std::string before = png; // what the mark is of: length, type and keyword of its piece are hashed too
    appendBigEndian(before, static_cast<std::uint32_t>(keyword.size() + blankMark(kind).size()));
    before += "tEXt";
    before += keyword;
    appendChunk(png, "tEXt", std::string(keyword) + ownMark(kind, sha256(before)));
    appendChunk(png, "IEND", {});
    return png;
}

} // namespace unroll::format
