// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/png.h"

#include "core/format/atomic_file.h"
#include "core/format/own_mark.h"

#include <fmt/format.h>
#include <string_view>
#include <vector>
#include <zlib.h>

namespace unroll::format {
namespace {

constexpr std::uint32_t longestSide = 1 << 24;
constexpr std::size_t channels = 3;
constexpr std::size_t chunkBytes = 1 << 20;

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

std::string imageHeader(std::uint32_t width, std::uint32_t height)
{
    constexpr char eightBits = 8, rgbColour = 2;
    std::string data;
    appendBigEndian(data, width);
    appendBigEndian(data, height);
    data += {eightBits, rgbColour, 0, 0, 0}; // deflate, the five standard filters, not interlaced
    return data;
}

// Rows in, IDAT chunks out.
class PixelStream {
public:
    explicit PixelStream(std::string& out) : m_out(out), m_buffer(chunkBytes)
    {
        m_ready = ::deflateInit(&m_stream, Z_DEFAULT_COMPRESSION) == Z_OK;
        m_stream.next_out = m_buffer.data();
        m_stream.avail_out = chunkBytes;
    }
    ~PixelStream() { ::deflateEnd(&m_stream); }
    PixelStream(const PixelStream&) = delete;
    PixelStream& operator=(const PixelStream&) = delete;

    bool ready() const { return m_ready; }

    void add(std::span<Bytef> row)
    {
        m_stream.next_in = row.data();
        m_stream.avail_in = static_cast<uInt>(row.size());
        while (m_stream.avail_in > 0)
            step(Z_NO_FLUSH);
    }

    void finish()
    {
        while (step(Z_FINISH) != Z_STREAM_END) {}
        emit();
    }

private:
    int step(int flush)
    {
        if (m_stream.avail_out == 0)
            emit();
        return ::deflate(&m_stream, flush);
    }

    void emit()
    {
        const std::size_t bytes = chunkBytes - m_stream.avail_out;
        appendChunk(m_out, "IDAT", {reinterpret_cast<const char*>(m_buffer.data()), bytes});
        m_stream.next_out = m_buffer.data();
        m_stream.avail_out = chunkBytes;
    }

    std::string& m_out;
    std::vector<Bytef> m_buffer;
    z_stream m_stream = {};
    bool m_ready = false;
};

// Filter 2 (PNG, 9.2): each byte less the one above it. Heat maps repeat from row to row, so most bytes become zero.
void filterUp(std::span<const std::uint8_t> rgb, std::size_t rowBytes, std::size_t y, std::span<Bytef> filtered)
{
    constexpr Bytef up = 2;
    filtered[0] = up;
    for (std::size_t i = 0; i < rowBytes; ++i) {
        const std::size_t at = y * rowBytes + i;
        filtered[i + 1] = static_cast<Bytef>(rgb[at] - (y > 0 ? rgb[at - rowBytes] : 0));
    }
}

} // namespace

Result<std::string> encodePng(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> rgb)
{
    if (width == 0 || height == 0 || width > longestSide || height > longestSide)
        return fail(fmt::format("a picture of {} x {} pixels cannot be written; sides are 1 to {}", width, height,
                                longestSide));
    const std::size_t rowBytes = width * channels;
    if (rgb.size() != rowBytes * height)
        return fail(fmt::format("a picture of {} x {} pixels takes {} bytes, {} were given", width, height,
                                rowBytes * height, rgb.size()));
    std::string png = "\x89PNG\r\n\x1a\n";
    appendChunk(png, "IHDR", imageHeader(width, height));
    PixelStream pixels(png);
    if (!pixels.ready())
        return fail("no memory to compress the picture");
    std::vector<Bytef> filtered(rowBytes + 1);
    for (std::size_t y = 0; y < height; ++y) {
        filterUp(rgb, rowBytes, y, filtered);
        pixels.add(filtered);
    }
    pixels.finish();
    appendChunk(png, "IEND", {});
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
