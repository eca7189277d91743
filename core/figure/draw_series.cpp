// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace unroll {

namespace {

using Kind = FigureSeries::Kind;

constexpr double kLine = 1.6, kReference = 0.9;
constexpr double kFloor = 6; ///< height of the mark of a point that is not a number

struct Point {
    double x = 0, y = 0;
};

std::size_t countOf(const FigureSeries& series)
{
    return std::min(series.x.size(), series.y.size());
}

std::optional<Point> placeOf(const PanelFrame& frame, double x, double y)
{
    const Point point{frame.x.at(x), frame.y.at(y)};
    return std::isfinite(point.x) && std::isfinite(point.y) ? std::optional(point) : std::nullopt;
}

void useInk(Pen& pen, const Ink& ink, double alpha = 1)
{
    cairo_set_source_rgba(pen.cairo(), ink.red, ink.green, ink.blue, alpha);
}

/// Calls with first and behind the last of each run of points that have a place.
template <class Visit>
void eachRun(std::size_t count, const std::vector<bool>& placed, const Visit& visit)
{
    for (std::size_t first = 0; first < count;) {
        std::size_t end = first;
        while (end < count && placed[end])
            ++end;
        if (end > first)
            visit(first, end);
        first = end + 1;
    }
}

void drawBand(Pen& pen, const PanelFrame& frame, const FigureSeries& series, const Ink& ink)
{
    const std::size_t count = std::min({countOf(series), series.low.size(), series.high.size()});
    std::vector<Point> low(count), high(count);
    std::vector<bool> placed(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto under = placeOf(frame, series.x[i], series.low[i]),
                   over = placeOf(frame, series.x[i], series.high[i]);
        placed[i] = under && over;
        low[i] = under.value_or(Point{});
        high[i] = over.value_or(Point{});
    }
    eachRun(count, placed, [&](std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i)
            cairo_line_to(pen.cairo(), high[i].x, high[i].y);
        for (std::size_t i = end; i-- > first;)
            cairo_line_to(pen.cairo(), low[i].x, low[i].y);
        cairo_close_path(pen.cairo());
    });
    useInk(pen, ink, 0.18);
    cairo_fill(pen.cairo());
}

void drawLine(Pen& pen, const PanelFrame& frame, const FigureSeries& series, const Ink& ink)
{
    drawBand(pen, frame, series, ink);
    const std::size_t count = countOf(series);
    std::vector<Point> points(count);
    std::vector<bool> placed(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto place = placeOf(frame, series.x[i], series.y[i]);
        placed[i] = place.has_value();
        points[i] = place.value_or(Point{});
    }
    eachRun(count, placed, [&](std::size_t first, std::size_t end) {
        if (end == first + 1) {
            pen.dot(points[first].x, points[first].y, series.dim ? 1.5 : 2, ink);
            return;
        }
        for (std::size_t i = first; i < end; ++i)
            cairo_line_to(pen.cairo(), points[i].x, points[i].y);
        useInk(pen, ink);
        cairo_set_line_width(pen.cairo(), series.dim ? kLine * 0.75 : kLine);
        cairo_stroke(pen.cairo());
    });
}

void drawWhisker(Pen& pen, const PanelFrame& frame, const FigureSeries& series, std::size_t i, double x, double cap)
{
    if (i >= series.low.size() || i >= series.high.size())
        return;
    const double low = frame.y.at(series.low[i]), high = frame.y.at(series.high[i]);
    if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(x))
        return;
    const Ink& ink = pen.inks().text;
    pen.line(x, low, x, high, ink, 0.9);
    if (cap >= 1) {
        pen.line(x - cap, low, x + cap, low, ink, 0.9);
        pen.line(x - cap, high, x + cap, high, ink, 0.9);
    }
}

void drawPoints(Pen& pen, const PanelFrame& frame, const FigureSeries& series, const Ink& ink)
{
    const std::size_t count = countOf(series);
    const double radius = count > 400 ? 1.8 : count > 100 ? 2.4 : 3;
    for (std::size_t i = 0; i < count; ++i)
        if (const auto place = placeOf(frame, series.x[i], series.y[i])) {
            drawWhisker(pen, frame, series, i, place->x, radius);
            const bool shaded = i < series.shade.size() && std::isfinite(series.shade[i]);
            pen.dot(place->x, place->y, radius, shaded ? pen.inks().sequential.at(0.25 + 0.75 * series.shade[i]) : ink,
                    0.6);
        }
}

/// `turn` of `turns` series of bars stand side by side at each place.
void drawBars(Pen& pen, const PanelFrame& frame, const FigureSeries& series, const Ink& ink, std::size_t turn,
              std::size_t turns)
{
    const double spacing = barSpacing(*frame.panel);
    const double floor = frame.panel->y.log ? frame.ySpan.low : std::clamp(0.0, frame.ySpan.low, frame.ySpan.high);
    for (std::size_t i = 0; i < countOf(series); ++i) {
        const double left =
            series.x[i] + spacing * 0.8 * (static_cast<double>(turn) / static_cast<double>(turns) - 0.5);
        const auto from = placeOf(frame, left, floor);
        const auto to = placeOf(frame, left + spacing * 0.8 / static_cast<double>(turns), series.y[i]);
        if (!from || !to)
            continue;
        const double width = std::max(std::abs(to->x - from->x), 0.5);
        const bool shaded = i < series.shade.size() && std::isfinite(series.shade[i]);
        pen.fill({std::min(from->x, to->x), std::min(from->y, to->y), width, std::abs(to->y - from->y)},
                 shaded ? pen.inks().sequential.at(0.25 + 0.75 * series.shade[i]) : ink, 0.85);
        drawWhisker(pen, frame, series, i, (from->x + to->x) / 2, std::min(3.0, width / 2 - 0.5));
    }
}

/// Points that have an x and no y stand as such on the floor.
void drawMissing(Pen& pen, const PanelFrame& frame, const FigureSeries& series)
{
    const double unit = std::abs(frame.x.at(frame.xSpan.low + barSpacing(*frame.panel)) - frame.x.at(frame.xSpan.low));
    const double width = std::isfinite(unit) ? std::clamp(unit * 0.8, 2.0, 12.0) : 4;
    for (std::size_t i = 0; i < countOf(series); ++i)
        if (!std::isfinite(series.y[i]) && frame.x.holds(series.x[i]))
            pen.hatch({frame.x.at(series.x[i]) - width / 2, frame.plot.bottom() - kFloor, width, kFloor});
}

bool covers(const Box& one, const Box& other)
{
    return one.left < other.right() && other.left < one.right() && one.top < other.bottom() && other.top < one.bottom();
}

/// Above the circle; one that would cover another is left out.
void labelCircle(Pen& pen, const std::string& label, const Point& at, double room, std::vector<Box>& labels)
{
    const std::string words = pen.cut(label, kBarFace, room);
    const double width = pen.widthOf(words, kBarFace);
    const Box place{at.x - width / 2, at.y - kBarFace.size, width, kBarFace.size};
    if (words.empty() ||
        std::any_of(labels.begin(), labels.end(), [&](const Box& each) { return covers(each, place); }))
        return;
    labels.push_back(place);
    pen.text(at.x, at.y, words, kBarFace, pen.inks().dim, Align::Centre);
}

void drawCircle(Pen& pen, const PanelFrame& frame, const FigureCircle& circle, std::vector<Box>& labels)
{
    const auto centre = placeOf(frame, circle.x, circle.y);
    const auto edge = placeOf(frame, circle.x + circle.radius, circle.y + circle.radius);
    if (!centre || !edge)
        return;
    cairo_t* cairo = pen.cairo();
    const double across = std::abs(edge->x - centre->x), down = std::abs(edge->y - centre->y);
    constexpr std::array<double, 2> dashes{3, 2.5};
    cairo_new_path(cairo);
    cairo_save(cairo);
    cairo_translate(cairo, centre->x, centre->y);
    cairo_scale(cairo, std::max(across, 1e-6), std::max(down, 1e-6));
    cairo_arc(cairo, 0, 0, 1, 0, 2 * std::numbers::pi);
    cairo_restore(cairo);
    useInk(pen, pen.inks().axis);
    cairo_set_line_width(cairo, kReference);
    cairo_set_dash(cairo, dashes.data(), 2, 0);
    cairo_stroke(cairo);
    cairo_set_dash(cairo, nullptr, 0, 0);
    labelCircle(pen, circle.label, {centre->x, centre->y - down - 3}, frame.plot.width / 2, labels);
}

} // namespace

std::vector<Ink> seriesInks(const FigurePanel& panel, const Inks& inks)
{
    std::vector<Ink> chosen;
    std::size_t next = 0;
    for (const FigureSeries& series : panel.series)
        chosen.push_back(series.dim ? inks.axis : inks.series[next++ % inks.series.size()]);
    return chosen;
}

void drawSeries(Pen& pen, const PanelFrame& frame)
{
    const FigurePanel& panel = *frame.panel;
    const std::vector<Ink> inks = seriesInks(panel, pen.inks());
    const auto bars =
        static_cast<std::size_t>(std::count_if(panel.series.begin(), panel.series.end(),
                                               [](const FigureSeries& series) { return series.kind == Kind::Bars; }));
    pen.clip({frame.plot.left - 1, frame.plot.top - 1, frame.plot.width + 2, frame.plot.height + 2});
    std::vector<Box> labels;
    for (const FigureCircle& circle : panel.circles)
        drawCircle(pen, frame, circle, labels);
    for (const FigureRule& rule : panel.rules) {
        const double at = rule.vertical ? frame.x.at(rule.at) : frame.y.at(rule.at);
        if (std::isfinite(at))
            rule.vertical ? pen.line(at, frame.plot.top, at, frame.plot.bottom(), pen.inks().dim, kReference, true)
                          : pen.line(frame.plot.left, at, frame.plot.right(), at, pen.inks().dim, kReference, true);
    }
    for (const bool dim : {true, false}) { // references behind
        std::size_t turn = 0;
        for (std::size_t i = 0; i < panel.series.size(); ++i) {
            const FigureSeries& series = panel.series[i];
            const std::size_t ofBars = series.kind == Kind::Bars ? turn++ : 0;
            if (series.dim != dim)
                continue;
            if (series.kind == Kind::Line)
                drawLine(pen, frame, series, inks[i]);
            else if (series.kind == Kind::Points)
                drawPoints(pen, frame, series, inks[i]);
            else
                drawBars(pen, frame, series, inks[i], ofBars, bars);
            drawMissing(pen, frame, series);
        }
    }
    pen.unclip();
}

} // namespace unroll
