// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/chart.h"

#include <QFont>
#include <QRectF>

class QFontMetricsF;
class QPainter;

namespace unroll {

/// Everything of a chart that is not a curve: grid, axes, numbers, titles, legend, levels, marks, crosshair. Knows no
/// chart library.
class ChartFrame {
public:
    explicit ChartFrame(const Appearance& appearance) : m_appearance(appearance) {}

    ChartPicture picture;
    std::optional<double> crosshair;
    std::vector<Reading> readings;
    QRectF handBox; ///< being drawn by hand, in pixels
    bool hasFocus = false;

    /// The plot's place within a chart of this size.
    QRectF plotArea(const QSizeF& size) const;
    void paintBehind(QPainter& painter, const QRectF& plot) const;
    void paintAbove(QPainter& painter, const QRectF& plot) const;

    QStringList shownText() const; ///< of legend, levels, best, notice and crosshair
    /// Where the label of one of the picture's levels stands; null: there is no room.
    QRectF levelBox(const QRectF& plot, const ChartLevel& level) const { return levelWords(plot, level).box; }
    QPointF toPlot(const QRectF& plot, const QPointF& point) const;

private:
    struct LevelWords {
        QRectF box;
        QString words;
    };
    LevelWords levelWords(const QRectF& plot, const ChartLevel& level) const;
    QFont font() const;
    double yAt(const QRectF& plot, double y) const; ///< on the middle of a pixel
    double xAt(const QRectF& plot, double x) const;
    void paintGrid(QPainter& painter, const QRectF& plot) const;
    void paintBands(QPainter& painter, const QRectF& plot) const;
    void paintTitles(QPainter& painter, const QRectF& plot) const;
    void paintLevels(QPainter& painter, const QRectF& plot) const;
    void paintMarks(QPainter& painter, const QRectF& plot) const;
    void paintBest(QPainter& painter, const QRectF& plot, const ChartPoint& best) const;
    void paintNotice(QPainter& painter, const QRectF& plot) const;
    void paintCrosshair(QPainter& painter, const QRectF& plot) const;
    void paintReadings(QPainter& painter, const QRectF& plot, double at) const;
    std::size_t hits(const QRectF& plot, const QRectF& box, const ChartLevel& own) const;
    bool isFree(const QRectF& plot, const QRectF& box) const;
    void paintText(QPainter& painter, const QRectF& plot, QRectF box, const QString& words, Theme::Role color) const;

    const Appearance& m_appearance;
};

} // namespace unroll
