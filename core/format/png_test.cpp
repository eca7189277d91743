// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/png.h"

#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <png.h>
#include <random>
#include <vector>

namespace unroll::format {
namespace {

std::vector<std::uint8_t> pixelsOf(std::string_view png, std::uint32_t width, std::uint32_t height)
{
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_memory(&image, png.data(), png.size()), 0) << image.message;
    EXPECT_EQ(image.format, std::uint32_t(PNG_FORMAT_RGB));
    EXPECT_EQ(image.width, width);
    EXPECT_EQ(image.height, height);
    std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
    EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0) << image.message;
    EXPECT_EQ(image.warning_or_error, 0U) << image.message;
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
    for (const auto& [width, height] : {std::pair(1U, 1U), {7U, 3U}, {3U, 7U}, {1000U, 900U}}) {
        const auto rgb = noise(width, height);
        const auto png = encodePng(width, height, rgb);
        ASSERT_TRUE(png);
        EXPECT_EQ(pixelsOf(*png, width, height), rgb) << width << " x " << height;
    }
}

TEST(Png, AMarkChangesNoPixel)
{
    const auto rgb = noise(5, 4);
    const std::string png = *encodePng(5, 4, rgb), marked = markedPng(png, "picture");
    EXPECT_GT(marked.size(), png.size());
    EXPECT_EQ(pixelsOf(marked, 5, 4), rgb);
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
