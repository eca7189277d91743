// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/axis_range.h"
#include "app/studio/theme/theme.h"

#include <QPointF>
#include <QWidget>
#include <optional>
#include <vector>

namespace unroll {

class Appearance;

/// How one curve is drawn and named.
struct SeriesLook {
    enum class Shape { Line, FaintLine, MarkedLine };
    Shape shape = Shape::Line;
    Theme::Role color = Theme::Role::ChartTrain;
    QString name; ///< in the legend; empty: not in it
};

/// A curve: points in the order of x, finite, above 0 where an axis is logarithmic, already thinned to what the width
/// can show.
struct ChartSeries {
    int id = 0; ///< the same from picture to picture
    SeriesLook look;
    std::vector<QPointF> points;
};

/// An area between two values at each x, in the order of x: what a curve is uncertain by. Where an axis is logarithmic
/// all of them are above 0.
struct ChartBand {
    struct Edge {
        double x, low, high;
    };
    Theme::Role color = Theme::Role::ChartTrain;
    std::vector<Edge> edges;
};

/// A horizontal line with a label: the entropy of the data.
struct ChartLevel {
    double y;
    QString label;
    Theme::Role color;
    QString brief = {}; ///< the label where all of it would cover something; empty: it has none
};

/// A value that has no place on the y axis, marked on its edge: no number on the upper one, not above 0 on the lower
/// one of a logarithmic axis.
struct ChartMark {
    enum class Kind { NotANumber, NotPositive };
    Kind kind;
    double x;
    Theme::Role color;
};

/// One point that stands out: the best of a curve.
struct ChartPoint {
    QPointF at;
    QString label;
    Theme::Role color;
    bool isLowest = false; ///< its words stand below it, where the curve is not
};

/// All that a chart shows at a time, in the data's own units; later series lie above earlier ones and are
/// named before them.
struct ChartPicture {
    AxisRange x = {};
    AxisRange y = {};
    std::vector<ChartSeries> series = {};
    std::vector<ChartLevel> levels = {};
    std::vector<ChartMark> marks = {};
    std::optional<ChartPoint> best = {};
    QString notice = {};               ///< in a corner of the plot; empty: none
    std::vector<ChartBand> bands = {}; ///< below all curves
};

/// One line of what a crosshair reads.
struct Reading {
    QString words;
    std::optional<Theme::Role> color = {}; ///< of the curve that is read
    std::optional<QPointF> at = {};        ///< its point, marked on the curve
};

/// Curves over one pair of axes. Behind it stands whatever library draws them; nothing else in the studio knows which.
class Chart : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    virtual void draw(ChartPicture picture) = 0;
    virtual const ChartPicture& picture() const = 0;
    /// A vertical line with a box of readings; stays until set again.
    virtual void setCrosshair(std::optional<double> x, std::vector<Reading> readings) = 0;
    /// The area inside the axes, in the chart's own coordinates.
    virtual QRectF plot() const = 0;
    /// What draws and takes the events of mouse and keys.
    virtual QWidget& surface() const = 0;
    /// Its words as they stand: legend, levels, best, notice, crosshair. For tests and screen readers.
    virtual QStringList shownText() const = 0;
    /// Renders the chart without the crosshair, with the same code as on screen, so images and SVG are equal.
    virtual void render(QPainter& painter, const QRectF& target) = 0;

Q_SIGNALS:
    void hovered(double x);                                                 ///< the cursor stands at this x
    void left();                                                            ///< the cursor left the plot
    void viewAsked(const unroll::AxisRange& x, const unroll::AxisRange& y); ///< the user moved, zoomed or boxed to this
    void fitAsked();                                                        ///< double click or Home: all of it again
};

/// The chart of today: QtCharts.
Chart* makeChart(const Appearance& appearance, QWidget* parent);

} // namespace unroll
