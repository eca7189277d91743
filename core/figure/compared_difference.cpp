// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/compared_panels.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

/// Differences of one panel: their size, and where the largest is.
class DifferenceSize {
public:
    void add(double difference, std::size_t x, std::size_t row)
    {
        ++m_count;
        if (!std::isfinite(difference)) {
            ++m_missing;
            return;
        }
        m_squares += difference * difference;
        m_equal += difference == 0 ? 1 : 0;
        if (std::abs(difference) > std::abs(m_most)) {
            m_most = difference;
            m_x = x;
            m_row = row;
        }
    }

    std::int64_t numbers() const { return m_count - m_missing; }
    std::int64_t missing() const { return m_missing; }
    bool isNothing() const { return m_equal == numbers(); }
    double most() const { return m_most; }
    double rootMeanSquare() const { return std::sqrt(m_squares / static_cast<double>(numbers())); }
    std::size_t x() const { return m_x; }
    std::size_t row() const { return m_row; }

private:
    std::int64_t m_count = 0, m_missing = 0, m_equal = 0;
    double m_squares = 0, m_most = 0;
    std::size_t m_x = 0, m_row = 0;
};

double difference(double first, double second, double period)
{
    return period > 0 ? std::remainder(second - first, period) : second - first;
}

/// Steps count from 1, as on the axis.
std::string placeOnAxis(const FigureAxis& axis, double at, const char* unnamed)
{
    const std::string name = axis.title.empty() ? unnamed : axis.title;
    const bool known = at >= 0 && at < static_cast<double>(axis.labels.size());
    const std::string label = known ? axis.labels[static_cast<std::size_t>(at)] : std::string();
    if (axis.steps)
        return label.empty() ? fmt::format("step {:.0f}", at + 1) : fmt::format("step {:.0f} (\"{}\")", at + 1, label);
    return label.empty() ? fmt::format("{} {:.4g}", name, at) : fmt::format("{} {}", name, label);
}

std::string sizeSentence(const FigurePanel& panel, const DifferenceSize& size, const std::string& place,
                         const SideNames& names)
{
    const std::string missing =
        size.missing() > 0 ? fmt::format(" {} differences are not numbers.", size.missing()) : std::string();
    if (size.numbers() == 0)
        return fmt::format("{}: no difference is a number.", panel.title);
    if (size.isNothing())
        return fmt::format("{}: all {} values are equal.{}", panel.title, size.numbers(), missing);
    return fmt::format("{}: {} less {} is {:.4g} in the root mean square, at most {:+.4g} ({}).{}", panel.title,
                       names.second, names.first, size.rootMeanSquare(), size.most(), place, missing);
}

/// The first side's panel without what is drawn in it.
FigurePanel emptied(const FigurePanel& first, const FigurePanel& second)
{
    FigurePanel panel = first;
    panel.title = first.title == second.title || second.title.empty()
                      ? first.title
                      : fmt::format("{} and {}", first.title, second.title);
    panel.cells.reset();
    panel.series.clear();
    panel.circles.clear();
    std::erase_if(panel.rules, [&](const FigureRule& rule) {
        return !rule.vertical || std::none_of(second.rules.begin(), second.rules.end(), [&](const FigureRule& other) {
            return other.vertical && other.at == rule.at;
        });
    });
    return panel;
}

/// Labels of rows that go together though they are of other units.
std::string rowLabel(const FigurePanel& first, const FigurePanel& second, std::size_t i, std::size_t j)
{
    const auto labelIn = [](const FigurePanel& panel, std::size_t row) {
        return row < panel.y.labels.size() ? panel.y.labels[row] : std::to_string(row);
    };
    const std::string one = labelIn(first, i), other = labelIn(second, j);
    return one == other ? one : fmt::format("{} | {}", one, other);
}

Result<PanelDifference> cellsDifference(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit,
                                        const SideNames& names)
{
    const auto rows = rowPairs(first, second, fit);
    if (!rows)
        return tl::unexpected(rows.error());
    PanelDifference result{emptied(first, second), {}};
    FigureCells cells = *first.cells;
    const FigureCells& other = *second.cells;
    const auto columns = static_cast<std::size_t>(cells.columns);
    DifferenceSize size;
    result.panel.y.labels.clear();
    for (const auto& [i, j] : *rows) {
        for (std::size_t column = 0; column < columns; ++column) {
            float& value = cells.values[i * columns + column];
            const double apart = difference(static_cast<double>(value),
                                            static_cast<double>(other.values[j * columns + column]), cells.period);
            value = static_cast<float>(apart);
            size.add(apart, column, i);
        }
        if (!first.y.labels.empty())
            result.panel.y.labels.push_back(rowLabel(first, second, i, j));
    }
    cells.scale = FigureCells::Scale::Signed;
    cells.reach = 0;
    result.panel.cells = std::move(cells);
    const std::string place =
        fmt::format("{}, {}", placeOnAxis(result.panel.x, static_cast<double>(size.x()), "column"),
                    placeOnAxis(result.panel.y, static_cast<double>(size.row()), "row"));
    result.findings.push_back(sizeSentence(result.panel, size, place, names));
    return result;
}

FigureSeries seriesDifference(const FigureSeries& one, const FigureSeries& other, const PlacePairs& pairs,
                              DifferenceSize& size)
{
    FigureSeries made{.name = one.name, .kind = one.kind, .x = {}, .y = {}, .dim = one.dim};
    for (const auto& [i, j] : pairs) {
        if (i >= one.y.size() || j >= other.y.size())
            continue;
        made.x.push_back(one.x[i]);
        made.y.push_back(other.y[j] - one.y[i]);
        if (i < one.units.size())
            made.units.push_back(one.units[i]);
        if (!one.dim)
            size.add(made.y.back(), i, 0);
    }
    if (made.units.size() != made.x.size())
        made.units.clear();
    return made;
}

bool isZero(const FigureSeries& series)
{
    return std::all_of(series.y.begin(), series.y.end(), [](double y) { return y == 0 || std::isnan(y); });
}

/// Series go together by their names; where none of these are the same, as those of two nodes are, by their order.
PlacePairs seriesPairs(const FigurePanel& first, const FigurePanel& second)
{
    const auto name = [](const FigureSeries& series) { return series.name; };
    const KeyPairs named(first.series, second.series, name);
    if (!named.pairs.empty() || first.series.size() != second.series.size())
        return named.pairs;
    PlacePairs pairs;
    for (std::size_t i = 0; i < first.series.size(); ++i)
        pairs.emplace_back(i, i);
    return pairs;
}

FigureAxis differenceAxis(const FigureAxis& axis)
{
    FigureAxis made = axis;
    made.title = axis.title.empty() ? "difference" : fmt::format("difference, {}", axis.title);
    made.low.reset();
    made.high.reset();
    made.log = false;
    return made;
}

/// Collects the series of a panel.
class SeriesPanel {
public:
    SeriesPanel(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit)
        : m_first(first), m_second(second), m_fit(fit), m_result{emptied(first, second), {}}
    {
        m_result.panel.y = differenceAxis(first.y);
    }

    Result<PanelDifference> make(const SideNames& names)
    {
        for (const auto& [i, j] : seriesPairs(m_first, m_second))
            add(m_first.series[i], m_second.series[j]);
        if (m_result.panel.series.empty())
            return fail(m_why.empty() ? "the sides have no series in common" : m_why);
        m_result.panel.rules.push_back({false, 0, ""});
        m_result.findings.push_back(sizeSentence(m_result.panel, m_size, place(), names));
        if (m_intervals)
            m_result.findings.push_back(fmt::format(
                "{}: intervals are those of each side, and are left out of the difference.", m_result.panel.title));
        if (!m_why.empty())
            m_result.findings.push_back(fmt::format("{}: some series are n/a: {}.", m_result.panel.title, m_why));
        if (m_partly > 0)
            m_result.findings.push_back(
                fmt::format("{}: {} points of one side have no counterpart.", m_result.panel.title, m_partly));
        return m_result;
    }

private:
    void add(const FigureSeries& one, const FigureSeries& other)
    {
        const auto pairs = pointPairs(m_first, one, m_second, other, m_fit);
        if (!pairs) {
            m_why = pairs.error().text();
            return;
        }
        FigureSeries made = seriesDifference(one, other, *pairs, m_size);
        if (one.dim && isZero(made))
            return; // a reference that both sides share
        m_partly += static_cast<std::int64_t>(std::max(one.x.size(), other.x.size()) - pairs->size());
        m_intervals = m_intervals || !one.low.empty() || !other.low.empty();
        if (!made.dim && m_largest < std::abs(m_size.most())) {
            m_largest = std::abs(m_size.most());
            m_at = one.x[m_size.x()];
            m_of = one.name;
        }
        m_result.panel.series.push_back(std::move(made));
    }

    std::string place() const
    {
        const std::string at = placeOnAxis(m_result.panel.x, m_at, "x");
        return m_result.panel.series.size() > 1 ? fmt::format("{}, {}", m_of, at) : at;
    }

    const FigurePanel &m_first, &m_second;
    const SidesFit& m_fit;
    PanelDifference m_result;
    DifferenceSize m_size;
    double m_largest = 0, m_at = 0;
    std::string m_of, m_why;
    std::int64_t m_partly = 0;
    bool m_intervals = false;
};

} // namespace

Result<PanelDifference> panelDifference(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit,
                                        const SideNames& names)
{
    if (first.cells.has_value() != second.cells.has_value())
        return fail("one side has a matrix where the other has curves");
    return first.cells ? cellsDifference(first, second, fit, names) : SeriesPanel(first, second, fit).make(names);
}

} // namespace unroll
