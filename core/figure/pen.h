// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/figure/inks.h"

#include <cairo/cairo.h>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// How a text is set. Sizes are in units of the sheet.
struct Face {
    double size = 10;
    bool bold = false;
    bool mono = false;
};

/// A rectangle on the sheet, y runs downwards.
struct Box {
    double left = 0, top = 0, width = 0, height = 0;

    double right() const { return left + width; }
    double bottom() const { return top + height; }
};

enum class Align { Left, Centre, Right };

/// Marks and texts on a cairo surface, all in plain inks. One for a drawing; the surface outlives it.
class Pen {
public:
    Pen(cairo_surface_t* surface, const Inks& inks, double scale);
    ~Pen();
    Pen(const Pen&) = delete;
    Pen& operator=(const Pen&) = delete;

    const Inks& inks() const { return m_inks; }
    cairo_t* cairo() { return m_cairo; }

    void fill(const Box& box, const Ink& ink, double alpha = 1);
    void frame(const Box& box, const Ink& ink, double width);
    void line(double x1, double y1, double x2, double y2, const Ink& ink, double width, bool dashed = false);
    void dot(double x, double y, double radius, const Ink& ink, double halo = 0);
    void hatch(const Box& box); ///< stripes of the ink for what is not a number
    void clip(const Box& box);
    void unclip();

    double widthOf(std::string_view text, const Face& face);
    /// The text's baseline begins, is centred or ends at (x, y). Bytes that are not UTF-8 are drawn as U+FFFD.
    void text(double x, double y, std::string_view text, const Face& face, const Ink& ink, Align align = Align::Left);
    /// The same, turned to run upwards.
    void textUp(double x, double y, std::string_view text, const Face& face, const Ink& ink, Align align);
    /// The text cut to the width, with an ellipsis where something is missing.
    std::string cut(std::string_view text, const Face& face, double width);
    /// The text in lines of at most the width, broken at spaces.
    std::vector<std::string> wrapped(std::string_view text, const Face& face, double width);

private:
    void choose(const Face& face);
    /// Bytes of whole characters from the beginning on that are not wider.
    std::size_t fitting(std::string_view text, const Face& face, double width);

    const Inks& m_inks;
    cairo_t* m_cairo;
};

} // namespace unroll
