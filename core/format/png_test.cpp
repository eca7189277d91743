// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/png.h"

#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <random>
#include <vector>
#include <zlib.h>

namespace unroll::format {
namespace {

std::uint32_t bigEndian(std::string_view bytes, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

// Takes a PNG apart, checking every chunk's checksum, and undoes compression and the filter `up`.
std::vector<std::uint8_t> pixelsOf(std::string_view png, std::uint32_t width, std::uint32_t height)
{
    EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
    std::string packed, order;
    for (std::size_t at = 8; at < png.size();) {
        const std::size_t length = bigEndian(png, at);
        const std::string_view checked = png.substr(at + 4, length + 4);
        EXPECT_EQ(bigEndian(png, at + 8 + length),
                  ::crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
        order += checked[1];
        if (checked.starts_with("IDAT"))
            packed += checked.substr(4);
        if (checked.starts_with("IHDR")) {
            EXPECT_EQ(bigEndian(checked, 4), width);
            EXPECT_EQ(bigEndian(checked, 8), height);
            EXPECT_EQ(checked.substr(12), std::string_view("\x08\x02\0\0\0", 5));
        }
        at += length + 12;
    }
    EXPECT_THAT(order, testing::MatchesRegex("HD+E"));
    const std::size_t row = 3 * std::size_t(width) + 1;
    std::vector<std::uint8_t> raw(row * height);
    uLongf bytes = raw.size();
    EXPECT_EQ(::uncompress(raw.data(), &bytes, reinterpret_cast<const Bytef*>(packed.data()), packed.size()), Z_OK);
    EXPECT_EQ(bytes, raw.size());
    std::vector<std::uint8_t> pixels;
    for (std::size_t y = 0; y < height; ++y) {
        EXPECT_EQ(raw[y * row], 2);
        for (std::size_t i = 1; i < row; ++i)
            pixels.push_back(
                static_cast<std::uint8_t>(raw[y * row + i] + (y > 0 ? pixels[pixels.size() - row + 1] : 0)));
    }
    return pixels;
}

std::vector<std::uint8_t> noise(std::uint32_t width, std::uint32_t height)
{
    std::mt19937 random(5);
    std::vector<std::uint8_t> rgb(3 * std::size_t(width) * height);
    for (std::uint8_t& byte : rgb)
        byte = static_cast<std::uint8_t>(random());
    return rgb;
}

TEST(Png, PixelsComeBack)
{
    for (const auto& [width, height] :
         {std::pair(1U, 1U), {7U, 3U}, {3U, 7U}, {1000U, 900U}}) { // the last needs several IDAT chunks
        const auto rgb = noise(width, height);
        const auto png = encodePng(width, height, rgb);
        ASSERT_TRUE(png);
        EXPECT_EQ(pixelsOf(*png, width, height), rgb) << width << " x " << height;
    }
}

TEST(Png, HeatMapsAreSmall)
{
    std::vector<std::uint8_t> rgb;
    for (int i = 0; i < 512 * 512; ++i)
        rgb.insert(rgb.end(), {static_cast<std::uint8_t>(i / 8 % 64), 10, 200});
    EXPECT_LT(encodePng(512, 512, rgb)->size(), 10'000U);
}

TEST(Png, RefusesWhatIsNoPicture)
{
    const std::vector<std::uint8_t> rgb(12);
    EXPECT_FALSE(encodePng(0, 4, {}));
    EXPECT_FALSE(encodePng(1U << 25, 1, rgb));
    EXPECT_EQ(encodePng(2, 3, rgb).error().message, "a picture of 2 x 3 pixels takes 18 bytes, 12 were given");
    const TestFolder folder;
    EXPECT_FALSE(writePng(folder / "p.png", 3, 3, rgb));
    EXPECT_TRUE(writePng(folder / "p.png", 2, 2, rgb));
    EXPECT_EQ(contentOf(folder / "p.png"), *encodePng(2, 2, rgb));
}

} // namespace
} // namespace unroll::format
