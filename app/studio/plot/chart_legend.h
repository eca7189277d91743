// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/chart.h"

class QPainter;

namespace unroll {

/// The names of the curves above the plot, in as many rows as they need, three at most; what finds no room there is
/// counted.
class ChartLegend {
public:
    /// `left`, `right`: the edges it may fill, in pixels; `taken`: what its first row leaves free at the left.
    ChartLegend(const std::vector<ChartSeries>& series, const QFontMetricsF& text, double left, double right,
                double taken);

    int rowCount() const { return static_cast<int>(m_rows.size()); }
    /// Rows lie one below the other from `top`, each ends at the right edge.
    void paint(QPainter& painter, const Theme& theme, double top) const;

    static double rowHeight(const QFontMetricsF& text);

private:
    struct Entry {
        const SeriesLook* look; ///< nullptr: words alone
        QString words;
        double width;
    };
    struct Row {
        std::vector<Entry> entries;
        double width = 0;
    };
    bool place(const Entry& entry);
    void countTheRest(std::size_t rest, const QFontMetricsF& text);
    void paintEntry(QPainter& painter, const Theme& theme, const Entry& entry, const QPointF& at) const;

    std::vector<Row> m_rows;
    double m_left;
    double m_right;
    double m_taken;
    double m_rowHeight;
};

} // namespace unroll
