// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/figure_picture.h"

#include "core/figure/drawing.h"
#include "core/format/png.h"

#include <cairo/cairo-svg.h>
#include <cstring>
#include <fmt/format.h>
#include <memory>

namespace unroll {

namespace {

constexpr double kPixels = 2;         ///< of a PNG, in a unit
constexpr double kMostHeight = 15000; ///< of a sheet

struct Destroy {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;

const Inks& inksOf(FigureTheme theme)
{
    return figureInks(theme == FigureTheme::Dark);
}

Result<void> check(cairo_status_t status)
{
    return status == CAIRO_STATUS_SUCCESS
               ? Result<void>()
               : fail(fmt::format("the picture cannot be drawn: {}", cairo_status_to_string(status)));
}

/// Of the sheet, found by drawing it where nothing is kept.
Result<double> heightOf(const Figure& figure, const FigureSource& source, FigureTheme theme)
{
    const Surface none(cairo_image_surface_create(CAIRO_FORMAT_A1, 1, 1));
    Pen pen(none.get(), inksOf(theme), 1);
    const double height = drawSheet(pen, figure, source);
    if (const auto drawn = check(cairo_status(pen.cairo())); !drawn)
        return tl::unexpected(drawn.error());
    if (height > kMostHeight)
        return fail(fmt::format("the picture would be {:.0f} units high; {:.0f} is the most", height, kMostHeight));
    return height;
}

Result<void> drawOn(cairo_surface_t* surface, double scale, const Box& sheet, const Figure& figure,
                    const FigureSource& source, FigureTheme theme)
{
    Pen pen(surface, inksOf(theme), scale);
    pen.fill(sheet, pen.inks().surface);
    drawSheet(pen, figure, source);
    return check(cairo_status(pen.cairo()));
}

cairo_status_t append(void* text, const unsigned char* bytes, unsigned length)
{
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), length);
    return CAIRO_STATUS_SUCCESS;
}

/// The pixels of an RGB24 surface, three bytes each.
std::vector<std::uint8_t> rgbOf(cairo_surface_t* surface)
{
    cairo_surface_flush(surface);
    const int width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
    std::vector<std::uint8_t> rgb;
    rgb.reserve(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) {
        const unsigned char* row = cairo_image_surface_get_data(surface) +
                                   static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface);
        for (int x = 0; x < width; ++x) {
            std::uint32_t pixel = 0;
            std::memcpy(&pixel, row + 4 * static_cast<std::ptrdiff_t>(x), sizeof pixel);
            for (const int shift : {16, 8, 0})
                rgb.push_back(static_cast<std::uint8_t>(pixel >> shift & 0xff));
        }
    }
    return rgb;
}

} // namespace

Result<std::string> figurePng(const Figure& figure, const FigureSource& source, FigureTheme theme)
{
    const auto height = heightOf(figure, source, theme);
    if (!height)
        return tl::unexpected(height.error());
    const Box sheet{0, 0, sheetWidth(figure), *height};
    const int width = static_cast<int>(sheet.width * kPixels), rows = static_cast<int>(sheet.height * kPixels);
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, rows));
    const auto drawn = drawOn(surface.get(), kPixels, sheet, figure, source, theme);
    if (!drawn)
        return tl::unexpected(drawn.error());
    return format::encodePng(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(rows), rgbOf(surface.get()));
}

Result<std::string> figureSvg(const Figure& figure, const FigureSource& source, FigureTheme theme)
{
    const auto height = heightOf(figure, source, theme);
    if (!height)
        return tl::unexpected(height.error());
    const Box sheet{0, 0, sheetWidth(figure), *height};
    std::string text;
    {
        const Surface surface(cairo_svg_surface_create_for_stream(append, &text, sheet.width, sheet.height));
        cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
        const auto drawn = drawOn(surface.get(), 1, sheet, figure, source, theme);
        if (!drawn)
            return tl::unexpected(drawn.error());
        cairo_surface_finish(surface.get());
        if (const auto written = check(cairo_surface_status(surface.get())); !written)
            return tl::unexpected(written.error());
    }
    return text;
}

} // namespace unroll
