// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/cell_colours.h"
#include "core/figure/figure_picture.h"
#include "core/figure/test_sample_figures.h"
#include "core/figure/write_figure.h"

#include "core/base/json.h"
#include "core/format/own_mark.h"

#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <fstream>
#include <set>
#include <sstream>

namespace unroll {
namespace {

using Kind = FigureSeries::Kind;
using ::testing::HasSubstr;

FigureSource sourceOfPicture()
{
    FigureSource made{};
    made.lens = "state";
    made.title = "State";
    made.step = 40;
    return made;
}

std::size_t count(const std::string& text, const std::string& part)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
        ++found;
    return found;
}

/// Each tag that is opened is closed, in order; attributes are in quotes.
bool isWellFormed(const std::string& xml)
{
    std::vector<std::string> open;
    for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos)
            return false;
        const std::string tag = xml.substr(at + 1, end - at - 1);
        if (tag.starts_with('?') || tag.starts_with('!'))
            continue;
        if (count(tag, "\"") % 2 != 0)
            return false;
        const std::string name =
            tag.substr(tag.starts_with('/') ? 1 : 0, tag.find_first_of(" /\n", 1) - (tag[0] == '/'));
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1))
                return false;
            open.pop_back();
        } else if (!tag.ends_with('/')) {
            open.push_back(name);
        }
    }
    return open.empty();
}

struct Pixels {
    std::uint32_t width = 0, height = 0;
    std::vector<std::uint8_t> rgb;

    std::size_t colours() const
    {
        std::set<std::uint32_t> all;
        for (std::size_t i = 0; i + 2 < rgb.size(); i += 3)
            all.insert(std::uint32_t(rgb[i]) << 16 | std::uint32_t(rgb[i + 1]) << 8 | rgb[i + 2]);
        return all.size();
    }

    /// Like the ink of what is not a number.
    std::size_t pinks() const
    {
        std::size_t found = 0;
        for (std::size_t i = 0; i + 2 < rgb.size(); i += 3)
            found += rgb[i] > 200 && rgb[i + 1] < 190 && rgb[i + 2] > 100 && rgb[i + 2] < 235;
        return found;
    }

    bool has(std::uint8_t red, std::uint8_t green, std::uint8_t blue) const
    {
        for (std::size_t i = 0; i + 2 < rgb.size(); i += 3)
            if (rgb[i] == red && rgb[i + 1] == green && rgb[i + 2] == blue)
                return true;
        return false;
    }
};

Pixels pixelsOf(const std::string& png)
{
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_memory(&image, png.data(), png.size()), 0) << image.message;
    EXPECT_EQ(image.format, std::uint32_t(PNG_FORMAT_RGB));
    Pixels pixels{image.width, image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
    EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.rgb.data(), 0, nullptr), 0) << image.message;
    return pixels;
}

std::string svgOf(const Figure& figure)
{
    const auto svg = figureSvg(figure, sourceOfPicture(), FigureTheme::Light);
    EXPECT_TRUE(svg) << (svg ? "" : svg.error().text());
    return svg.value_or("");
}

/// How cairo says that something is filled with the ink of the first series.
constexpr const char* kFirstInk = "fill:rgb(11.764706%,43.921569%,83.137255%)";

TEST(FigurePicture, IsAPngOfTheSizeOfTheSheet)
{
    for (const FigureTheme theme : {FigureTheme::Light, FigureTheme::Dark}) {
        const auto png = figurePng(fullFigure(), sourceOfPicture(), theme);
        ASSERT_TRUE(png) << png.error().text();
        const Pixels pixels = pixelsOf(*png);
        EXPECT_EQ(pixels.width, 1520U);
        EXPECT_GT(pixels.height, 400U);
        EXPECT_EQ(pixels.rgb[0], theme == FigureTheme::Light ? 0xff : 0x18);
        EXPECT_GT(pixels.colours(), 50U) << "cells, lines and letters";
        EXPECT_EQ(*png, *figurePng(fullFigure(), sourceOfPicture(), theme)) << "the same bytes";
    }
}

TEST(FigurePicture, WhatIsNoNumberIsHatched)
{
    FigurePanel panel{};
    panel.cells = smallCells();
    EXPECT_TRUE(pixelsOf(*figurePng(figureOf(panel), sourceOfPicture(), FigureTheme::Light)).has(0xe6, 0x00, 0x8a));
    panel.cells->values[4] = 0;
    EXPECT_FALSE(pixelsOf(*figurePng(figureOf(panel), sourceOfPicture(), FigureTheme::Light)).has(0xe6, 0x00, 0x8a));
    const auto line = [](double middle) {
        const Figure figure = figureOf(panelOf(seriesOf(Kind::Line, {0, 1, 2}, {1, middle, 2})));
        return pixelsOf(*figurePng(figure, sourceOfPicture(), FigureTheme::Light)).pinks();
    };
    EXPECT_GT(line(kNoNumber), 20U);
    EXPECT_EQ(line(1.5), 0U);
}

TEST(FigurePicture, CellsHaveTheirColours)
{
    FigurePanel panel{};
    panel.cells = smallCells();
    panel.cells->values = {1, 1, 1, -1, -1, -1};
    const Pixels pixels = pixelsOf(*figurePng(figureOf(panel), sourceOfPicture(), FigureTheme::Light));
    EXPECT_TRUE(pixels.has(0x79, 0x1b, 0x11));
    EXPECT_TRUE(pixels.has(0x12, 0x37, 0x80));
}

TEST(FigurePicture, WhatGoesRoundHasOneColourAtBothEnds)
{
    FigureCells cells{.name = "phase", .rows = 1, .columns = 2, .values = {-3.f, 0.5f}};
    cells.period = 6;
    const CellRange range = cellRange(cells);
    EXPECT_EQ(range.low, -3);
    EXPECT_EQ(range.high, 3);
    EXPECT_FALSE(range.clipped);
    for (const bool dark : {false, true}) {
        const Inks& inks = figureInks(dark);
        EXPECT_EQ(cellInk(range, inks, -3), cellInk(range, inks, 3));
        EXPECT_NE(cellInk(range, inks, 0), cellInk(range, inks, 3));
        EXPECT_NE(cellInk(range, inks, -1.5), cellInk(range, inks, 1.5));
    }
}

TEST(FigurePicture, AnSvgHasAMarkForEachPoint)
{
    for (const int points : {0, 1, 7, 33}) {
        FigureSeries series = seriesOf(Kind::Points, {}, {});
        for (int i = 0; i < points; ++i) {
            series.x.push_back(i);
            series.y.push_back(i * i % 7);
        }
        const std::string svg = svgOf(figureOf(panelOf(series)));
        EXPECT_TRUE(isWellFormed(svg));
        EXPECT_EQ(count(svg, kFirstInk), static_cast<std::size_t>(points));
    }
    FigureSeries gaps = seriesOf(Kind::Points, {0, 1, 2, kNoNumber, 4}, {1, kNoNumber, kInfinite, 1, 2});
    EXPECT_EQ(count(svgOf(figureOf(panelOf(gaps))), kFirstInk), 2U);
}

TEST(FigurePicture, BarsAndLinesAreMarks)
{
    EXPECT_EQ(count(svgOf(figureOf(panelOf(seriesOf(Kind::Bars, {0, 1, 2}, {3, 1, -2})))), kFirstInk), 3U);
    const std::string stroke = "stroke:rgb(11.764706%,43.921569%,83.137255%)";
    EXPECT_EQ(count(svgOf(figureOf(panelOf(seriesOf(Kind::Line, {0, 1, 2, 3, 4}, {3, 1, kNoNumber, 2, 5})))), stroke),
              2U)
        << "a gap makes two lines";
    EXPECT_EQ(count(svgOf(figureOf(panelOf(seriesOf(Kind::Line, {0}, {3})))), kFirstInk), 1U) << "one point is a dot";
}

TEST(FigurePicture, ALogAxisLeavesOutWhatIsNotPositive)
{
    FigurePanel panel = panelOf(seriesOf(Kind::Points, {0, 1, 2, 3}, {1, 0, -4, 1000}));
    panel.y.log = true;
    EXPECT_EQ(count(svgOf(figureOf(panel)), kFirstInk), 2U);
}

TEST(FigurePicture, OfNothingIsAPictureToo)
{
    EXPECT_TRUE(isWellFormed(svgOf({})));
    EXPECT_TRUE(isWellFormed(svgOf(figureOf({}))));
    FigurePanel noCells{};
    noCells.cells = FigureCells{};
    EXPECT_TRUE(isWellFormed(svgOf(figureOf(noCells))));
    Figure table{};
    table.tables.emplace_back();
    EXPECT_TRUE(isWellFormed(svgOf(table)));
}

TEST(FigurePicture, HoldsStrangeValues)
{
    const std::string strange = std::string("nul\0 \x01 \xff <&> \"", 14) + std::string(3000, 'x');
    for (const double value : {1e300, -1e300, 1e-300, 0.0, kNoNumber, kInfinite}) {
        Figure figure = fullFigure();
        figure.shows = figure.panels[0].title = figure.findings[0] = strange;
        figure.tables[0].rows[0].cells = {strange, strange, strange};
        figure.panels[0].height = value;
        figure.panels.push_back(panelOf(seriesOf(Kind::Bars, {0, value}, {value, 1}, strange)));
        figure.panels.back().rules.push_back({true, value, strange});
        figure.panels.back().square = true;
        figure.panels.push_back(panelOf(seriesOf(Kind::Points, {value}, {value})));
        figure.panels.back().y.low = value;
        figure.panels.back().x.log = true;
        const auto svg = figureSvg(figure, sourceOfPicture(), FigureTheme::Dark);
        EXPECT_TRUE(svg && isWellFormed(*svg)) << value;
        EXPECT_TRUE(figurePng(figure, sourceOfPicture(), FigureTheme::Dark)) << value;
    }
}

std::string textOf(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

TEST(WriteFigure, EveryFileIsMarkedAsOurs)
{
    const TestFolder folder;
    for (const char* name : {"a.npz", "a.csv", "a.json", "a.png", "a.svg"}) {
        const auto path = folder.path() / name;
        const auto written = writeFigure(path, fullFigure(), sourceOfPicture(), FigureTheme::Light, "signals");
        ASSERT_TRUE(written) << written.error().text();
        EXPECT_TRUE(format::isOwn(path, "signals")) << name;
        EXPECT_FALSE(format::isOwn(path, "picture")) << name;
        std::string text = textOf(path);
        text[text.size() / 3] = static_cast<char>(text[text.size() / 3] ^ 1);
        std::ofstream(path, std::ios::binary) << text;
        EXPECT_FALSE(format::isOwn(path, "signals")) << name << " was changed";
    }
}

TEST(WriteFigure, JsonStaysJson)
{
    const TestFolder folder;
    for (const Figure& figure : {fullFigure(), Figure{}}) {
        ASSERT_TRUE(writeFigure(folder.path() / "a.json", figure, sourceOfPicture(), FigureTheme::Light, "signals"));
        const auto json = readJson(textOf(folder.path() / "a.json"), "a.json");
        ASSERT_TRUE(json) << json.error().text();
        EXPECT_THAT(*json->find("mark")->asString(), HasSubstr("unroll:signals:sha256="));
        EXPECT_EQ(*json->find("missing")->asInt(), figure.missing);
    }
    ASSERT_TRUE(writeFigure(folder.path() / "a.svg", fullFigure(), sourceOfPicture(), FigureTheme::Light, "picture"));
    EXPECT_TRUE(isWellFormed(textOf(folder.path() / "a.svg")));
}

TEST(WriteFigure, SaysWhatItCannotWrite)
{
    const TestFolder folder;
    const auto written = writeFigure(folder.path() / "a.gif", {}, sourceOfPicture(), FigureTheme::Light, "signals");
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().text(), HasSubstr(".npz, .csv, .json, .png or .svg"));
    EXPECT_FALSE(writeFigure("/proc/none/a.csv", {}, sourceOfPicture(), FigureTheme::Light, "signals"));
}

} // namespace
} // namespace unroll
