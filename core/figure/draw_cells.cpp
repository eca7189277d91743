// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/cell_colours.h"
#include "core/figure/drawing.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr double kPixels = 2; ///< of the raster, in a unit of the sheet: those of a PNG
constexpr double kBarWidth = 9, kBarGap = 9;

std::uint32_t pixelOf(const Ink& ink)
{
    const auto channel = [](double value) { return static_cast<std::uint32_t>(std::lround(value * 255)); };
    return channel(ink.red) << 16 | channel(ink.green) << 8 | channel(ink.blue);
}

Ink mixed(const Ink& a, const Ink& b, double share)
{
    return {std::lerp(a.red, b.red, share), std::lerp(a.green, b.green, share), std::lerp(a.blue, b.blue, share)};
}

/// Pixel by pixel, so that it looks the same in every kind of file; what is not a number is hatched.
cairo_surface_t* rasterOf(const FigureCells& cells, const Inks& inks, int width, int height)
{
    const CellRange range = cellRange(cells);
    const std::vector<float> values =
        pixelValues(cells, static_cast<std::size_t>(width), static_cast<std::size_t>(height));
    const std::uint32_t hatch[] = {pixelOf(inks.missing), pixelOf(mixed(inks.missing, inks.surface, 0.65))};
    cairo_surface_t* raster = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    if (cairo_surface_status(raster) != CAIRO_STATUS_SUCCESS)
        return raster;
    unsigned char* bytes = cairo_image_surface_get_data(raster);
    const std::ptrdiff_t stride = cairo_image_surface_get_stride(raster);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const float value =
                values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
            const std::uint32_t pixel =
                std::isnan(value) ? hatch[(x + y) / 3 % 2] : pixelOf(cellInk(range, inks, static_cast<double>(value)));
            std::memcpy(bytes + y * stride + 4 * x, &pixel, sizeof pixel);
        }
    cairo_surface_mark_dirty(raster);
    return raster;
}

void drawColourBar(Pen& pen, const FigureCells& cells, const Box& plot)
{
    const CellRange range = cellRange(cells);
    const double height = std::min(plot.height, 160.0);
    const Box bar{plot.right() + kBarGap, plot.top + (plot.height - height) / 2, kBarWidth, height};
    const int steps = static_cast<int>(height * kPixels);
    for (int i = 0; i < steps; ++i) {
        const double share = 1 - (i + 0.5) / steps;
        pen.fill({bar.left, bar.top + i / kPixels, bar.width, 1 / kPixels + 0.25},
                 cellInk(range, pen.inks(), std::lerp(range.low, range.high, share)));
    }
    pen.frame(bar, pen.inks().axis, 0.6);
    const Scale scale{range.low, range.high, bar.bottom(), bar.top, false};
    const double middle = range.diverging ? 0 : (range.low + range.high) / 2;
    for (const double value : {range.low, middle, range.high}) {
        if (height < 30 && value == middle)
            continue;
        const double y = scale.at(value);
        pen.line(bar.right(), y, bar.right() + 3, y, pen.inks().axis, 0.6);
        const bool beyond = range.clipped && value != middle && value != 0;
        const std::string number =
            range.cyclic ? fmt::format("{:.2f}", value) : axisNumber(value, range.high / (range.diverging ? 10 : 20));
        std::string label = number;
        while (label.find('.') != std::string::npos && (label.ends_with('0') || label.ends_with('.'))) {
            const bool point = label.ends_with('.');
            label.pop_back();
            if (point)
                break;
        }
        pen.text(bar.right() + 5, y + 3, (beyond ? value < 0 ? "≤ " : "≥ " : "") + label, kBarFace, pen.inks().dim);
    }
}

} // namespace

void drawCells(Pen& pen, const PanelFrame& frame)
{
    const FigureCells& cells = *frame.panel->cells;
    const Scale &x = frame.x, &y = frame.y;
    const Box area{x.at(-0.5), y.at(-0.5), x.at(static_cast<double>(cells.columns) - 0.5) - x.at(-0.5),
                   y.at(static_cast<double>(cells.rows) - 0.5) - y.at(-0.5)};
    const int width = static_cast<int>(std::lround(area.width * kPixels));
    const int height = static_cast<int>(std::lround(area.height * kPixels));
    if (width < 1 || height < 1 || width > 16384 || height > 16384 || cells.values.empty())
        return;
    cairo_surface_t* raster = rasterOf(cells, pen.inks(), width, height);
    cairo_t* cairo = pen.cairo();
    pen.clip(frame.plot);
    cairo_translate(cairo, area.left, area.top);
    cairo_scale(cairo, area.width / width, area.height / height);
    cairo_set_source_surface(cairo, raster, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(cairo);
    pen.unclip();
    cairo_surface_destroy(raster);
    drawColourBar(pen, cells, frame.plot);
}

} // namespace unroll
