// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/drawing.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace unroll {

namespace {

constexpr std::size_t kMostRows = 30; ///< that a picture shows; files of data have all
constexpr double kRow = 16, kGap = 18;

const std::string& cellOf(const FigureTable::Row& row, std::size_t column)
{
    static const std::string none;
    return column < row.cells.size() ? row.cells[column] : none;
}

/// Signs, digits and what stands among them: set at the right edge.
bool isNumeric(const FigureTable& table, std::size_t column)
{
    const auto looks = [](const std::string& text) {
        const std::size_t first = text.find_first_not_of("<>≤≥=+-−. ");
        return text.empty() || text == "n/a" || text == "-" ||
               (first != std::string::npos && std::isdigit(static_cast<unsigned char>(text[first])) != 0);
    };
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [&](const FigureTable::Row& row) { return looks(cellOf(row, column)); });
}

std::vector<double> widthsOf(Pen& pen, const FigureTable& table, std::size_t rows, double room)
{
    std::vector<double> widths;
    for (const std::string& column : table.columns)
        widths.push_back(pen.widthOf(column, kBoldFace));
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], std::min(room, pen.widthOf(cellOf(table.rows[row], i), kTextFace)));
    const double gaps = kGap * static_cast<double>(widths.empty() ? 0 : widths.size() - 1);
    for (double over = std::accumulate(widths.begin(), widths.end(), gaps) - room; over > 0 && !widths.empty();) {
        double& longest = *std::max_element(widths.begin(), widths.end());
        const double less = std::min(over, std::max(longest * 0.1, 1.0));
        if (longest - less < 30)
            break;
        longest -= less;
        over -= less;
    }
    return widths;
}

} // namespace

double drawTable(Pen& pen, const FigureTable& table, const Box& within)
{
    const std::size_t rows = std::min(table.rows.size(), kMostRows);
    const std::vector<double> widths = widthsOf(pen, table, rows, within.width);
    const double wide = std::accumulate(widths.begin(), widths.end(),
                                        kGap * static_cast<double>(widths.empty() ? 0 : widths.size() - 1));
    double y = within.top;
    if (!table.title.empty()) {
        pen.text(within.left, y + 11, pen.cut(table.title, kPanelFace, within.width), kPanelFace, pen.inks().text);
        y += 20;
    }
    std::vector<bool> numeric;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        numeric.push_back(isNumeric(table, i));
    const auto rule = [&](double width) { pen.line(within.left, y, within.left + wide, y, pen.inks().text, width); };
    const auto cell = [&](const std::string& text, std::size_t i, const Face& face) {
        const double left = std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(i),
                                            within.left + kGap * static_cast<double>(i));
        const bool right = numeric[i];
        pen.text(right ? left + widths[i] : left, y + 12, pen.cut(text, face, widths[i] + 0.5), face, pen.inks().text,
                 right ? Align::Right : Align::Left);
    };
    rule(1);
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        cell(table.columns[i], i, kBoldFace);
    y += kRow + 2;
    rule(0.6);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            cell(cellOf(table.rows[row], i), i, kTextFace);
        y += kRow;
    }
    if (table.rows.empty()) {
        pen.text(within.left, y + 12, "no rows", kTextFace, pen.inks().dim);
        y += kRow;
    }
    y += 2;
    rule(1);
    if (rows < table.rows.size()) {
        pen.text(within.left, y + 13,
                 "and " + counted(std::ssize(table.rows) - static_cast<std::int64_t>(rows), "more row"), kSmallFace,
                 pen.inks().dim);
        y += 16;
    }
    return y - within.top;
}

} // namespace unroll
