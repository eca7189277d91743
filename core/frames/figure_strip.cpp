// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/figure_strip.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace unroll {

namespace {

/// What the values along an axis reach over.
struct Reach {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value)
    {
        if (!std::isfinite(value))
            return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void addAll(const Reach& other)
    {
        add(other.low);
        add(other.high);
    }
    /// By a share of itself at each end.
    void widen(double share)
    {
        const double room = any() ? share * (high - low) : 0;
        low -= room;
        high += room;
    }
    bool any() const { return low <= high; }
};

/// As the axis says, else what is drawn over it. Cells and bars are half a place wider.
Reach reachOf(const FigurePanel& panel)
{
    Reach reach;
    double beyond = 0;
    for (const FigureSeries& series : panel.series) {
        for (const double x : series.x)
            reach.add(x);
        if (series.kind == FigureSeries::Kind::Bars)
            beyond = 0.5;
    }
    if (panel.cells || panel.x.steps) {
        const auto columns = panel.cells ? panel.cells->columns : std::ssize(panel.x.labels);
        reach.add(0);
        reach.add(static_cast<double>(std::max<std::int64_t>(columns, 1) - 1));
        beyond = 0.5;
    }
    reach.low -= beyond;
    reach.high += beyond;
    if (panel.x.low)
        reach.low = *panel.x.low;
    if (panel.x.high)
        reach.high = *panel.x.high;
    return reach;
}

/// The same down the panel.
Reach downOf(const FigurePanel& panel)
{
    Reach reach;
    for (const FigureSeries& series : panel.series) {
        for (const std::vector<double>* values : {&series.y, &series.low, &series.high})
            for (const double y : *values)
                if (!panel.y.log || y > 0)
                    reach.add(y);
        if (series.kind == FigureSeries::Kind::Bars && !panel.y.log)
            reach.add(0);
    }
    if (panel.y.low)
        reach.low = *panel.y.low;
    if (panel.y.high)
        reach.high = *panel.y.high;
    return reach;
}

/// For each row of the first, the row of the same unit in the second; nothing: they have other units.
std::optional<std::vector<std::int64_t>> rowsAs(const FigureCells& order, const FigureCells& cells)
{
    if (cells.rows != order.rows || cells.columns != order.columns || cells.units.size() != order.units.size())
        return {};
    std::vector<std::int64_t> rows;
    std::map<std::int64_t, std::int64_t> rowOf;
    for (std::size_t row = 0; row < cells.units.size(); ++row)
        rowOf[cells.units[row]] = static_cast<std::int64_t>(row);
    for (std::int64_t row = 0; row < order.rows; ++row) {
        if (order.units.empty()) {
            rows.push_back(row);
            continue;
        }
        const auto found = rowOf.find(order.units[static_cast<std::size_t>(row)]);
        if (found == rowOf.end())
            return {};
        rows.push_back(found->second);
    }
    return rows;
}

bool fits(const KeptFrame& frame, const KeptFrame& newest)
{
    if (frame.reading != newest.reading || frame.figure.panels.empty())
        return false;
    const FigurePanel &one = frame.figure.panels.front(), &two = newest.figure.panels.front();
    if (one.id != two.id || one.cells.has_value() != two.cells.has_value())
        return false;
    return !two.cells || rowsAs(*two.cells, *one.cells).has_value();
}

/// Cells of one update behind those of the other, in one panel.
class StripMaker {
public:
    StripMaker(const FigurePanel& like, std::size_t count) : m_width(like.cells->columns)
    {
        m_panel.id = like.id;
        m_panel.title = like.title;
        m_panel.y = like.y;
        m_panel.y.low.reset();
        m_panel.y.high.reset();
        m_panel.square = like.square;
        m_panel.height = like.height;
        m_panel.cells = *like.cells;
        m_panel.cells->columns = m_width * static_cast<std::int64_t>(count);
        m_panel.cells->values.assign(static_cast<std::size_t>(m_panel.cells->rows * m_panel.cells->columns), 0.f);
    }

    void add(const FigurePanel& panel, std::int64_t update)
    {
        const auto shift = static_cast<double>(m_added * m_width);
        addCells(*panel.cells);
        for (FigureSeries series : panel.series) {
            for (double& x : series.x)
                x += shift;
            series.name = fmt::format("{}, update {}", series.name, grouped(update));
            m_panel.series.push_back(std::move(series));
        }
        for (FigureRule rule : panel.rules)
            if (rule.vertical) {
                rule.at += shift;
                m_panel.rules.push_back(std::move(rule));
            } else if (m_added == 0) {
                m_panel.rules.push_back(std::move(rule));
            }
        m_panel.rules.push_back({.vertical = true, .at = shift - 0.5, .label = grouped(update)});
        ++m_added;
    }
    /// Columns count on from update to update, and the title says so.
    FigurePanel made(const std::string& title)
    {
        m_panel.x.title = fmt::format("{}, {} columns for each update", title, m_width);
        m_panel.x.low = -0.5;
        m_panel.x.high = static_cast<double>(m_panel.cells->columns) - 0.5;
        return std::move(m_panel);
    }

private:
    void addCells(const FigureCells& cells)
    {
        const std::vector<std::int64_t> rows = *rowsAs(*m_panel.cells, partOf(cells));
        FigureCells& all = *m_panel.cells;
        for (std::int64_t row = 0; row < all.rows; ++row)
            for (std::int64_t column = 0; column < cells.columns; ++column)
                all.values[static_cast<std::size_t>(row * all.columns + m_added * cells.columns + column)] =
                    cells
                        .values[static_cast<std::size_t>(rows[static_cast<std::size_t>(row)] * cells.columns + column)];
    }
    /// Its units alone, as many columns as the whole has.
    FigureCells partOf(const FigureCells& cells) const
    {
        return {.name = {}, .rows = cells.rows, .columns = m_panel.cells->columns, .values = {}, .units = cells.units};
    }

    FigurePanel m_panel;
    std::int64_t m_width; ///< columns of one update
    std::int64_t m_added = 0;
};

/// A panel for each update, with the same ends of their axes.
std::vector<FigurePanel> panelsApart(const std::vector<const KeptFrame*>& shown)
{
    constexpr double kRoom = 0.04; // beyond the outermost values, where no panel says how far its axis goes
    Reach across, down;
    bool saysAcross = false, saysDown = false;
    for (const KeptFrame* frame : shown) {
        const FigurePanel& panel = frame->figure.panels.front();
        saysAcross = saysAcross || panel.x.low || panel.x.high || panel.x.steps;
        saysDown = saysDown || panel.y.low || panel.y.high || panel.y.log;
        across.addAll(reachOf(panel));
        down.addAll(downOf(panel));
    }
    across.widen(saysAcross ? 0 : kRoom);
    down.widen(saysDown ? 0 : kRoom);
    std::vector<FigurePanel> panels;
    for (const KeptFrame* frame : shown) {
        FigurePanel panel = frame->figure.panels.front();
        panel.id += fmt::format("_{}", frame->step);
        panel.title += fmt::format("{}update {}", panel.title.empty() ? "" : ", ", grouped(frame->step));
        if (across.any())
            std::tie(panel.x.low, panel.x.high) = std::pair(across.low, across.high);
        if (down.any())
            std::tie(panel.y.low, panel.y.high) = std::pair(down.low, down.high);
        if (!panels.empty())
            for (FigureCircle& circle : panel.circles)
                circle.label.clear(); // said once
        panels.push_back(std::move(panel));
    }
    return panels;
}

FigurePanel joinedCells(const std::vector<const KeptFrame*>& shown, const FigurePanel& like)
{
    StripMaker maker(like, shown.size());
    for (const KeptFrame* frame : shown)
        maker.add(frame->figure.panels.front(), frame->step);
    return maker.made(like.x.title);
}

} // namespace

std::vector<std::int64_t> spreadUpdates(const std::vector<KeptSeries::Frame>& frames, std::size_t count)
{
    std::vector<std::int64_t> steps;
    if (frames.empty() || count == 0)
        return steps;
    if (frames.size() <= count) {
        for (const KeptSeries::Frame& frame : frames)
            steps.push_back(frame.step);
        return steps;
    }
    const std::int64_t first = frames.front().step, last = frames.back().step;
    const std::size_t parts = std::max<std::size_t>(count, 2) - 1;
    for (std::size_t i = 0; i <= parts; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(parts);
        const auto wished = first + static_cast<std::int64_t>(std::llround(share * static_cast<double>(last - first)));
        steps.push_back(frames[nearestFrame(frames, count == 1 ? last : wished)].step);
    }
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

Result<Figure> figureStrip(const std::vector<std::shared_ptr<const KeptFrame>>& frames)
{
    if (frames.empty())
        return fail("no frame is kept");
    const KeptFrame& newest = *frames.back();
    if (newest.figure.panels.empty())
        return fail("no panel can be shown side by side");
    const FigurePanel& like = newest.figure.panels.front();
    std::vector<const KeptFrame*> shown;
    for (const auto& frame : frames)
        if (fits(*frame, newest))
            shown.push_back(frame.get());
    Reach reach;
    Figure strip;
    for (const KeptFrame* frame : shown) {
        reach.addAll(reachOf(frame->figure.panels.front()));
        strip.missing += frame->figure.missing;
    }
    if (!reach.any())
        return fail("there is no finite value to draw");
    strip.shows =
        newest.figure.shows + (shown.size() == 1
                                   ? fmt::format(" Only update {} was kept.", grouped(shown.front()->step))
                                   : fmt::format(" On one scale at {}: {} to {}.", counted(std::ssize(shown), "update"),
                                                 grouped(shown.front()->step), grouped(shown.back()->step)));
    if (const auto left = frames.size() - shown.size(); left > 0)
        strip.findings.push_back(fmt::format("{} of another reading or with other rows {} left out.",
                                             counted(static_cast<std::int64_t>(left), "frame"),
                                             left == 1 ? "is" : "are"));
    if (like.cells)
        strip.panels.push_back(joinedCells(shown, like));
    else
        strip.panels = panelsApart(shown);
    return strip;
}

} // namespace unroll
