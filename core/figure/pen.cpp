// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/pen.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace unroll {

namespace {

constexpr double kStripe = 3; ///< of the hatching

void useInk(cairo_t* cairo, const Ink& ink, double alpha = 1)
{
    cairo_set_source_rgba(cairo, ink.red, ink.green, ink.blue, alpha);
}

/// The first bytes of the text, without a part of a character at the end.
std::string_view beginning(std::string_view text, std::size_t bytes)
{
    while (bytes > 0 && bytes < text.size() && (text[bytes] & 0xc0) == 0x80)
        --bytes;
    return text.substr(0, bytes);
}

std::string plain(std::string_view text)
{
    std::string repaired = repairedUtf8(text);
    for (char& byte : repaired) // cairo ends at NUL, and control characters have no shape
        if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f)
            byte = ' ';
    return repaired;
}

} // namespace

Pen::Pen(cairo_surface_t* surface, const Inks& inks, double scale) : m_inks(inks), m_cairo(cairo_create(surface))
{
    cairo_scale(m_cairo, scale, scale);
    cairo_font_options_t* options = cairo_font_options_create(); // the same places in every kind of file
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(m_cairo, options);
    cairo_font_options_destroy(options);
    cairo_set_line_join(m_cairo, CAIRO_LINE_JOIN_ROUND);
}

Pen::~Pen()
{
    cairo_destroy(m_cairo);
}

void Pen::fill(const Box& box, const Ink& ink, double alpha)
{
    useInk(m_cairo, ink, alpha);
    cairo_rectangle(m_cairo, box.left, box.top, box.width, box.height);
    cairo_fill(m_cairo);
}

void Pen::frame(const Box& box, const Ink& ink, double width)
{
    useInk(m_cairo, ink);
    cairo_set_line_width(m_cairo, width);
    cairo_rectangle(m_cairo, box.left, box.top, box.width, box.height);
    cairo_stroke(m_cairo);
}

void Pen::line(double x1, double y1, double x2, double y2, const Ink& ink, double width, bool dashed)
{
    constexpr std::array<double, 2> dashes{4, 3};
    useInk(m_cairo, ink);
    cairo_set_line_width(m_cairo, width);
    cairo_set_dash(m_cairo, dashes.data(), dashed ? 2 : 0, 0);
    cairo_move_to(m_cairo, x1, y1);
    cairo_line_to(m_cairo, x2, y2);
    cairo_stroke(m_cairo);
    cairo_set_dash(m_cairo, nullptr, 0, 0);
}

void Pen::dot(double x, double y, double radius, const Ink& ink, double halo)
{
    cairo_new_path(m_cairo);
    cairo_arc(m_cairo, x, y, radius, 0, 2 * std::numbers::pi);
    if (halo > 0) {
        useInk(m_cairo, m_inks.surface);
        cairo_set_line_width(m_cairo, 2 * halo);
        cairo_stroke_preserve(m_cairo);
    }
    useInk(m_cairo, ink);
    cairo_fill(m_cairo);
}

void Pen::hatch(const Box& box)
{
    clip(box);
    fill(box, m_inks.missing, 0.25);
    useInk(m_cairo, m_inks.missing);
    cairo_set_line_width(m_cairo, 1);
    for (double at = box.left - box.height; at < box.right(); at += kStripe) {
        cairo_move_to(m_cairo, at, box.bottom());
        cairo_line_to(m_cairo, at + box.height, box.top);
    }
    cairo_stroke(m_cairo);
    unclip();
}

void Pen::clip(const Box& box)
{
    cairo_save(m_cairo);
    cairo_rectangle(m_cairo, box.left, box.top, box.width, box.height);
    cairo_clip(m_cairo);
}

void Pen::unclip()
{
    cairo_restore(m_cairo);
}

void Pen::choose(const Face& face)
{
    cairo_select_font_face(m_cairo, face.mono ? "DejaVu Sans Mono" : "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           face.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(m_cairo, face.size);
}

double Pen::widthOf(std::string_view text, const Face& face)
{
    choose(face);
    cairo_text_extents_t extents;
    cairo_text_extents(m_cairo, plain(text).c_str(), &extents);
    return extents.x_advance;
}

void Pen::text(double x, double y, std::string_view text, const Face& face, const Ink& ink, Align align)
{
    const double width = align == Align::Left ? 0 : widthOf(text, face);
    choose(face);
    useInk(m_cairo, ink);
    cairo_move_to(m_cairo, align == Align::Left ? x : align == Align::Right ? x - width : x - width / 2, y);
    cairo_show_text(m_cairo, plain(text).c_str());
    cairo_new_path(m_cairo);
}

void Pen::textUp(double x, double y, std::string_view text, const Face& face, const Ink& ink, Align align)
{
    cairo_save(m_cairo);
    cairo_translate(m_cairo, x, y);
    cairo_rotate(m_cairo, -std::numbers::pi / 2);
    this->text(0, 0, text, face, ink, align);
    cairo_restore(m_cairo);
}

std::size_t Pen::fitting(std::string_view text, const Face& face, double width)
{
    std::size_t fits = 0, over = text.size() + 1;
    while (fits + 1 < over) {
        const std::size_t middle = fits + (over - fits) / 2;
        (widthOf(beginning(text, middle), face) <= width ? fits : over) = middle;
    }
    return beginning(text, fits).size();
}

std::string Pen::cut(std::string_view text, const Face& face, double width)
{
    constexpr std::size_t most = 4000; // nothing longer stands on a sheet
    if (text.size() <= most && widthOf(text, face) <= width)
        return std::string(text);
    const std::size_t kept = fitting(text.substr(0, most), face, width - widthOf("…", face));
    return std::string(text.substr(0, kept)) + "…";
}

std::vector<std::string> Pen::wrapped(std::string_view text, const Face& face, double width)
{
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        const std::string longer = lines.back().empty() ? std::string(word) : lines.back() + " " + std::string(word);
        if (widthOf(longer, face) <= width) {
            lines.back() = longer;
            continue;
        }
        while (widthOf(word, face) > width) { // broken where the line ends
            const std::size_t bytes = std::max<std::size_t>(fitting(word, face, width), 1);
            if (!lines.back().empty())
                lines.emplace_back();
            lines.back() = word.substr(0, bytes);
            word.remove_prefix(bytes);
        }
        if (!lines.back().empty())
            lines.emplace_back();
        lines.back() = word;
    }
    return lines;
}

} // namespace unroll
