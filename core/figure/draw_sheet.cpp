// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/drawing.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kUsualWidth = 760, kWideSheet = 1180;
constexpr std::int64_t kManySteps = 150; ///< from which on the sheet is wide
constexpr double kPanelHeight = 170, kSquareHeight = 380, kPairHeight = 244, kMostHeight = 620, kLeastHeight = 14;
constexpr double kPanelGap = 16, kColourBar = 62;

/// Labels of the rows of a panel, as far as they have any of their own.
std::vector<std::string> yLabelsOf(const FigurePanel& panel)
{
    if (!panel.y.labels.empty() || !panel.cells)
        return panel.y.labels;
    std::vector<std::string> labels;
    bool counting = true;
    for (std::size_t row = 0; row < panel.cells->units.size(); ++row) {
        counting = counting && panel.cells->units[row] == static_cast<std::int64_t>(row);
        labels.push_back(std::to_string(panel.cells->units[row]));
    }
    return counting ? std::vector<std::string>() : labels; // plain numbers tell as much
}

/// As many of the labels as stand above each other.
std::vector<AxisTick> labelTicks(const std::vector<std::string>& labels, const Span& span, double height, double least)
{
    const double room = height / (span.high - span.low);
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(least / std::max(room, 1e-9))));
    std::vector<AxisTick> ticks;
    for (std::size_t i = 0; i < labels.size(); i += every)
        if (static_cast<double>(i) >= span.low && static_cast<double>(i) <= span.high)
            ticks.push_back({static_cast<double>(i), labels[i]});
    return ticks;
}

double heightOf(const FigurePanel& panel)
{
    const double share = std::isfinite(panel.height) && panel.height > 0 ? panel.height : 1;
    const double rows = panel.cells ? 2 * static_cast<double>(panel.cells->rows) : 0;
    return std::round(
        std::clamp(std::max(kPanelHeight * share, rows), kLeastHeight, std::max(kMostHeight, kPanelHeight)));
}

/// A unit of x as long as one of y, within the room; smaller where several stand side by side.
void makeSquare(PanelFrame& frame, double room, bool several)
{
    const double across = frame.xSpan.high - frame.xSpan.low, down = frame.ySpan.high - frame.ySpan.low;
    const double share = std::isfinite(frame.panel->height) && frame.panel->height > 0 ? frame.panel->height : 1;
    const double height = (several ? kPairHeight : kSquareHeight) * std::min(share, 1.6);
    const double unit = std::min(room / across, height / down);
    frame.plot.width = std::max(1.0, std::round(across * unit));
    frame.plot.height = std::max(1.0, std::round(down * unit));
}

bool isSquare(const Figure& figure, std::size_t i)
{
    return i < figure.panels.size() && figure.panels[i].square;
}

/// Steps are counted from 1, as everywhere in words.
std::vector<AxisTick> stepTicks(const Span& span, int wanted)
{
    std::vector<AxisTick> ticks = wholeTicks(span.low + 1, span.high + 1, wanted);
    for (AxisTick& tick : ticks)
        --tick.value;
    return ticks;
}

void chooseYTicks(PanelFrame& frame)
{
    const FigurePanel& panel = *frame.panel;
    const Span& span = frame.ySpan;
    const int wanted = std::max(2, static_cast<int>(frame.plot.height / 36));
    const double room = frame.plot.height / (span.high - span.low);
    std::vector<std::string> labels = yLabelsOf(panel);
    if (panel.y.steps) { // tokens stand all or not at all
        frame.yFace = {std::min(9.5, room), false, true};
        if (room < kLeastToken)
            labels.clear();
    }
    if (!labels.empty())
        frame.yTicks = labelTicks(labels, span, frame.plot.height, panel.y.steps ? kLeastToken : 10);
    else if (panel.y.steps)
        frame.yTicks = stepTicks(span, wanted);
    else if (panel.cells)
        frame.yTicks = wholeTicks(span.low, span.high, frame.plot.height < 40 ? 1 : wanted);
    else
        frame.yTicks = panel.y.log ? logAxisTicks(span.low, span.high, wanted) : axisTicks(span.low, span.high, wanted);
    if (labels.empty())
        frame.yFace = kSmallFace;
}

std::vector<AxisTick> xTicksOf(const PanelFrame& frame)
{
    const FigurePanel& panel = *frame.panel;
    const int wanted = std::max(2, static_cast<int>(frame.plot.width / 72));
    if (panel.x.steps)
        return stepTicks(frame.xSpan, wanted);
    if (panel.cells)
        return wholeTicks(frame.xSpan.low, frame.xSpan.high, wanted);
    return panel.x.log ? logAxisTicks(frame.xSpan.low, frame.xSpan.high, wanted)
                       : axisTicks(frame.xSpan.low, frame.xSpan.high, wanted);
}

/// Panels with the same steps one under another share the axis of the lowest, which has the labels of whichever has
/// some.
void shareSteps(std::vector<PanelFrame>& frames)
{
    for (std::size_t i = frames.size(); i-- > 1;) {
        PanelFrame &upper = frames[i - 1], &lower = frames[i];
        const bool both = upper.panel->x.steps && lower.panel->x.steps && !upper.panel->square && !lower.panel->square;
        if (!both || upper.xSpan != lower.xSpan)
            continue;
        if (!upper.xLabels.empty() && !lower.xLabels.empty() && upper.xLabels != lower.xLabels)
            continue;
        upper.xShown = false;
    }
    for (std::size_t i = 1; i < frames.size(); ++i)
        if (!frames[i - 1].xShown && frames[i].xLabels.empty())
            frames[i].xLabels = frames[i - 1].xLabels;
}

/// Everything but the place from the top.
std::vector<PanelFrame> framesOf(Pen& pen, const Figure& figure, double width)
{
    std::vector<PanelFrame> frames;
    bool cells = false;
    for (const FigurePanel& panel : figure.panels) {
        PanelFrame frame;
        frame.panel = &panel;
        frame.xSpan = xSpan(panel);
        frame.ySpan = ySpan(panel);
        frame.xLabels = panel.x.labels;
        frame.plot.height = heightOf(panel);
        cells = cells || panel.cells;
        frames.push_back(std::move(frame));
    }
    shareSteps(frames);
    const double right = width - kMargin - (cells ? kColourBar : 8);
    double left = kMargin;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        PanelFrame& frame = frames[i];
        if (frame.panel->square)
            makeSquare(frame, right - kMargin - 60, isSquare(figure, i + 1) || (i > 0 && isSquare(figure, i - 1)));
        chooseYTicks(frame);
        double widest = 0;
        for (const AxisTick& tick : frame.yTicks)
            widest = std::max(widest, pen.widthOf(tick.label, frame.yFace));
        frame.gutter = std::round(widest + (frame.panel->y.title.empty() ? 8 : 24));
        left = std::max(left, kMargin + frame.gutter);
    }
    for (PanelFrame& frame : frames) {
        frame.gutter = left - kMargin; // titles of axes stand one under another
        frame.plot.left = left;
        if (!frame.panel->square)
            frame.plot.width = right - left;
        frame.xTicks = xTicksOf(frame);
    }
    return frames;
}

/// Squares go side by side as far as there is room: where the row that begins with this panel ends.
std::size_t rowEnd(std::vector<PanelFrame>& frames, std::size_t first, double width)
{
    std::size_t end = first + 1;
    double left = frames[first].plot.left;
    for (; frames[first].panel->square && end < frames.size() && frames[end].panel->square; ++end) {
        const PanelFrame& before = frames[end - 1];
        left += before.plot.width + (before.panel->cells ? kColourBar : 16) + frames[end].gutter;
        if (left + frames[end].plot.width + (frames[end].panel->cells ? kColourBar : 8) > width - kMargin)
            break;
        frames[end].plot.left = std::round(left);
    }
    return end;
}

void placeAt(PanelFrame& frame, double top)
{
    const FigurePanel& panel = *frame.panel;
    frame.plot.top = std::round(top);
    frame.x = {frame.xSpan.low, frame.xSpan.high, frame.plot.left, frame.plot.right(), panel.x.log};
    frame.y = {frame.ySpan.low, frame.ySpan.high, frame.plot.bottom(), frame.plot.top, panel.y.log};
    if (panel.cells)
        std::swap(frame.y.from, frame.y.to); // row 0 on top
}

/// Title, the line that says what is shown, and the findings; where the panels begin.
double drawHead(Pen& pen, const Figure& figure, const FigureSource& source, double width)
{
    const Inks& inks = pen.inks();
    const double room = width - 2 * kMargin;
    double y = kMargin + 13;
    const std::string updates = source.ofRun ? "after " + counted(source.step, "update") : std::string();
    pen.text(kMargin, y, pen.cut(source.title, kTitleFace, room - 140), kTitleFace, inks.text);
    pen.text(width - kMargin, y, updates, kSmallFace, inks.dim, Align::Right);
    y += 20;
    for (const std::string& line : pen.wrapped(figure.shows, kTextFace, room)) {
        pen.text(kMargin, y, line, kTextFace, inks.dim);
        y += 15;
    }
    if (figure.missing > 0) {
        pen.hatch({kMargin, y - 8, 12, 9});
        pen.text(kMargin + 17, y,
                 counted(figure.missing, "value") + (figure.missing == 1 ? " is" : " are") +
                     " not finite (NaN or infinite)",
                 kTextFace, inks.missing);
        y += 15;
    }
    if (!figure.findings.empty())
        y += 5;
    for (const std::string& finding : figure.findings) {
        pen.dot(kMargin + 4, y - 3.8, 1.8, inks.series[0]);
        for (const std::string& line : pen.wrapped(finding, kTextFace, room - 14)) {
            pen.text(kMargin + 14, y, line, kTextFace, inks.text);
            y += 15;
        }
    }
    return y;
}

} // namespace

double sheetWidth(const Figure& figure)
{
    for (const FigurePanel& panel : figure.panels)
        if (!panel.square && stepsOf(panel) > kManySteps)
            return kWideSheet;
    return kUsualWidth;
}

double drawSheet(Pen& pen, const Figure& figure, const FigureSource& source)
{
    const double width = sheetWidth(figure);
    double y = drawHead(pen, figure, source, width);
    std::vector<PanelFrame> frames = framesOf(pen, figure, width);
    for (std::size_t first = 0; first < frames.size();) {
        const std::size_t end = rowEnd(frames, first, width);
        double bottom = y;
        for (std::size_t i = first; i < end; ++i) {
            placeAt(frames[i], y);
            placeAt(frames[i], y + drawHeading(pen, frames[i], y) + 2);
            bottom = std::max(bottom, frames[i].plot.bottom() + drawAxes(pen, frames[i]));
        }
        y = bottom + (frames[first].xShown ? kPanelGap : 6);
        first = end;
    }
    for (const FigureTable& table : figure.tables)
        y += drawTable(pen, table, {kMargin, y, width - 2 * kMargin, 0}) + kPanelGap;
    if (figure.panels.empty() && figure.tables.empty() && figure.findings.empty()) {
        pen.text(kMargin, y + 10, "There is nothing to draw.", kTextFace, pen.inks().dim);
        y += 24;
    }
    return std::ceil(y + kMargin - kPanelGap + 4);
}

} // namespace unroll
