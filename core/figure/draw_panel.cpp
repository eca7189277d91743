// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/drawing.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

using Kind = FigureSeries::Kind;

constexpr double kLegendLine = 15, kSwatch = 16, kLegendGap = 14, kLongestName = 260;

/// Series with a name, where there is more than one mark to tell apart.
std::vector<std::size_t> legendOf(const FigurePanel& panel)
{
    std::vector<std::size_t> named;
    if (panel.series.size() > 1 || panel.cells || (panel.series.size() == 1 && !panel.series[0].shade.empty()))
        for (std::size_t i = 0; i < panel.series.size(); ++i)
            if (!panel.series[i].name.empty())
                named.push_back(i);
    return named;
}

double entryWidth(Pen& pen, const FigureSeries& series)
{
    return kSwatch + 5 + pen.widthOf(pen.cut(series.name, kSmallFace, kLongestName), kSmallFace);
}

void drawSwatch(Pen& pen, const FigureSeries& series, const Ink& ink, double x, double y)
{
    if (!series.shade.empty()) {
        for (int i = 0; i < 16; ++i)
            pen.fill({x + i * kSwatch / 16, y - 4, kSwatch / 16 + 0.2, 8},
                     pen.inks().sequential.at(0.25 + 0.75 * i / 15));
    } else if (series.kind == Kind::Line) {
        if (!series.low.empty())
            pen.fill({x, y - 4, kSwatch, 8}, ink, 0.18);
        pen.line(x, y, x + kSwatch, y, ink, series.dim ? 1.2 : 1.8);
    } else if (series.kind == Kind::Points) {
        pen.dot(x + kSwatch / 2, y, 3, ink);
    } else {
        pen.fill({x + 3, y - 4.5, kSwatch - 6, 9}, ink, 0.85);
    }
}

void drawEntry(Pen& pen, const FigureSeries& series, const Ink& ink, double x, double y)
{
    drawSwatch(pen, series, ink, x, y);
    pen.text(x + kSwatch + 5, y + 3.3, pen.cut(series.name, kSmallFace, kLongestName), kSmallFace, pen.inks().text);
}

/// What is to be said of values that are not drawn.
std::string leftOutText(const FigurePanel& panel)
{
    const std::int64_t count = leftOutByLog(panel);
    return count == 0 ? std::string()
                      : counted(count, "value") + (count == 1 ? " that is" : " that are") + " not positive " +
                            (count == 1 ? "is" : "are") + " left out: the axis is logarithmic";
}

/// Labels of rules, on the paper of the plot, beside each other's places.
void drawRuleLabels(Pen& pen, const PanelFrame& frame)
{
    const Box& plot = frame.plot;
    double lastX = -1e9, row = 0;
    std::vector<const FigureRule*> rules;
    for (const FigureRule& rule : frame.panel->rules)
        if (!rule.label.empty() && (rule.vertical ? frame.x : frame.y).holds(rule.at))
            rules.push_back(&rule);
    std::stable_sort(rules.begin(), rules.end(),
                     [](const FigureRule* a, const FigureRule* b) { return a->at < b->at; });
    for (const FigureRule* rule : rules) {
        const std::string label = pen.cut(rule->label, kBarFace, plot.width / 2);
        const double width = pen.widthOf(label, kBarFace);
        double x = plot.right() - width - 3, y = 0;
        if (rule->vertical) {
            x = frame.x.at(rule->at) + 3;
            if (x + width > plot.right())
                x = frame.x.at(rule->at) - width - 3;
            row = x < lastX ? row + 1 : 0;
            lastX = x + width + 4;
            y = plot.top + 10 + 11 * row;
        } else {
            y = frame.y.at(rule->at) - 3;
            if (y < plot.top + 8)
                y = frame.y.at(rule->at) + 9;
        }
        pen.fill({x - 1.5, y - 7.5, width + 3, 9.5}, pen.inks().surface, 0.8);
        pen.text(x, y, label, kBarFace, pen.inks().dim);
    }
}

bool isEmpty(const FigurePanel& panel)
{
    return (!panel.cells || panel.cells->values.empty()) &&
           std::all_of(panel.series.begin(), panel.series.end(),
                       [](const FigureSeries& series) { return series.x.empty() || series.y.empty(); });
}

void drawYAxis(Pen& pen, const PanelFrame& frame)
{
    const Box& plot = frame.plot;
    for (const AxisTick& tick : frame.yTicks) {
        const double y = frame.y.at(tick.value);
        pen.line(plot.left - 3, y, plot.left, y, pen.inks().axis, 0.7);
        pen.text(plot.left - 6, y + 3.3, tick.label, frame.yFace, pen.inks().dim, Align::Right);
    }
    if (!frame.panel->y.title.empty())
        pen.textUp(plot.left - frame.gutter + 10, plot.top + plot.height / 2,
                   pen.cut(frame.panel->y.title, kSmallFace, plot.height + 20), kSmallFace, pen.inks().text,
                   Align::Centre);
}

void drawGrid(Pen& pen, const PanelFrame& frame)
{
    const Box& plot = frame.plot;
    for (const AxisTick& tick : frame.yTicks)
        pen.line(plot.left, frame.y.at(tick.value), plot.right(), frame.y.at(tick.value), pen.inks().grid, 0.8);
    if (frame.panel->x.labels.empty())
        for (const AxisTick& tick : frame.xTicks)
            pen.line(frame.x.at(tick.value), plot.top, frame.x.at(tick.value), plot.bottom(), pen.inks().grid, 0.8);
    if (!frame.panel->y.log && frame.ySpan.low < 0 && frame.ySpan.high > 0)
        pen.line(plot.left, frame.y.at(0), plot.right(), frame.y.at(0), pen.inks().axis, 0.8);
}

} // namespace

double drawHeading(Pen& pen, const PanelFrame& frame, double top)
{
    const FigurePanel& panel = *frame.panel;
    const std::vector<Ink> inks = seriesInks(panel, pen.inks());
    const std::vector<std::size_t> legend = legendOf(panel);
    const double left = frame.plot.left, right = std::max(frame.plot.right(), left + 320);
    double height = panel.title.empty() ? 0 : 18;
    const std::string title = pen.cut(panel.title, kPanelFace, right - left);
    pen.text(left, top + 11, title, kPanelFace, pen.inks().text);
    double wide = -kLegendGap;
    for (const std::size_t i : legend)
        wide += entryWidth(pen, panel.series[i]) + kLegendGap;
    const double titleEnd = left + (title.empty() ? 0 : pen.widthOf(title, kPanelFace) + 24);
    const bool beside = titleEnd + wide <= right;
    double x = beside ? right - wide : left, y = top + (beside ? 7 : height + 7);
    for (const std::size_t i : legend) {
        const double width = entryWidth(pen, panel.series[i]);
        if (!beside && x > left && x + width > right) {
            x = left;
            y += kLegendLine;
        }
        drawEntry(pen, panel.series[i], inks[i], x, y);
        x += width + kLegendGap;
        height = std::max(height, y + 11 - top);
    }
    if (const std::string words = leftOutText(panel); !words.empty()) {
        pen.text(left, top + height + 9, words, kSmallFace, pen.inks().missing);
        height += 16;
    }
    return height;
}

double drawAxes(Pen& pen, const PanelFrame& frame)
{
    const FigurePanel& panel = *frame.panel;
    if (!panel.cells && !isEmpty(panel))
        drawGrid(pen, frame);
    if (panel.cells)
        drawCells(pen, frame);
    drawSeries(pen, frame);
    drawRuleLabels(pen, frame);
    if (panel.cells || panel.square)
        pen.frame(frame.plot, pen.inks().axis, 0.7);
    else
        pen.line(frame.plot.left, frame.plot.bottom(), frame.plot.right(), frame.plot.bottom(), pen.inks().axis, 0.9);
    if (isEmpty(panel))
        pen.text(frame.plot.left + frame.plot.width / 2, frame.plot.top + frame.plot.height / 2 + 4, "no values",
                 kTextFace, pen.inks().dim, Align::Centre);
    if (isEmpty(panel))
        return 4;
    drawYAxis(pen, frame);
    return drawXAxis(pen, frame);
}

} // namespace unroll
