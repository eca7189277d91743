// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/charts/chart.h"

#include <QFont>
#include <QRectF>

class QPainter;

namespace unroll {

/// One legend entry: a look and the words behind it.
struct LegendEntry {
    SeriesLook look;
    QString text;
};

/// Everything of a chart that is not a curve: grid, axes, numbers, titles, legend, levels, crosshair. Knows no chart library.
class ChartFrame {
public:
    explicit ChartFrame(const Appearance& appearance) : m_appearance(appearance) {}

    AxisRange x;
    AxisRange y;
    std::vector<ChartLevel> levels;
    std::vector<LegendEntry> legend;
    std::vector<double> missing;
    std::optional<double> crosshair;
    QStringList crosshairWords;

    /// The plot's place within a chart of this size.
    QRectF plotArea(const QSizeF& size) const;
    void paintBehind(QPainter& painter, const QRectF& plot) const;
    void paintAbove(QPainter& painter, const QRectF& plot) const;

    QStringList words() const; ///< of legend, levels and crosshair

    static double mapped(const AxisRange& axis, double value); ///< to the axis' own line: log10 where it is logarithmic
    QPointF toPlot(const QRectF& plot, double x, double y) const;
    double xAt(const QRectF& plot, double pixel) const;

private:
    QFont font() const;
    void paintGrid(QPainter& painter, const QRectF& plot) const;
    void paintTitles(QPainter& painter, const QRectF& plot) const;
    void paintLegend(QPainter& painter, const QRectF& plot) const;
    void paintLevel(QPainter& painter, const QRectF& plot, const ChartLevel& level) const;
    void paintMissing(QPainter& painter, const QRectF& plot) const;
    void paintCrosshair(QPainter& painter, const QRectF& plot) const;

    const Appearance& m_appearance;
};

} // namespace unroll
