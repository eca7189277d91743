// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/figure/figure_plot.h"
#include "app/studio/figure/figure_style.h"

class QPainter;

namespace unroll {

class Appearance;

/// Paints one panel of a figure, once. Hairlines lie on device pixels at every scale.
class FigurePainter {
public:
    /// Of what is shared by the views of a window, and what the hand is at.
    struct Hand {
        std::int64_t step = -1; ///< the cursor; -1: none
        bool held = false;
        std::int64_t from = -1; ///< the brushed span, `to` excluded
        std::int64_t to = -1;
        std::vector<std::int64_t> units; ///< that are selected
        std::optional<FigureMark> mark;  ///< that is pointed at
    };

    FigurePainter(QPainter& painter, const FigurePlot& plot, const Appearance& appearance);

    void paint();                     ///< all that stays while nothing but the hand moves
    void paintHand(const Hand& hand); ///< over it

private:
    void paintHead();
    void paintSign(std::size_t series, const QRectF& place);
    void paintGrid();
    void paintAcross();
    void paintDown();
    void paintTitles();
    void paintCells();
    void paintColourBar();
    void paintCircles();
    void paintRules();
    std::ptrdiff_t covered(const QRectF& place, const FigureRule& own) const;
    void paintRuleLabels();
    void paintSeries(std::size_t series);
    void paintBand(std::size_t series);
    void paintLine(std::size_t series);
    void paintPoints(std::size_t series);
    void paintBars(std::size_t series);
    void paintWhisker(std::size_t series, std::size_t index, double x);
    void paintMissing(std::size_t series);
    void paintShape(const QPointF& at, PointShape shape, double radius);
    QRectF labelPlace(const QPointF& anchor, const QString& words) const;
    void paintLabel(const QRectF& place, const QString& words);
    void paintSpan(const Hand& hand);
    void paintCursor(const Hand& hand);
    void paintSelected(const Hand& hand);
    void paintMark(const FigureMark& mark);
    QColor shadeColour(std::size_t series, std::size_t index);
    const ColourMap& colours(const HeatEnds& range);
    void hairline(const QPointF& from, const QPointF& to, const QColor& colour, double thick = 1);
    double snapped(double place) const; ///< to a device pixel

    QPainter& m_painter;
    const FigurePlot& m_plot;
    const FigurePanel& m_panel;
    const Appearance& m_appearance;
    const Theme& m_theme;
    const QRectF m_area;
    double m_ratio; ///< device pixels a pixel
    std::optional<ColourMap> m_diverging, m_sequential, m_cyclic;
};

} // namespace unroll
