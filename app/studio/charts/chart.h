// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/charts/ticks.h"
#include "app/studio/theme/theme.h"

#include <QWidget>
#include <optional>
#include <span>
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

struct AxisRange {
    double low = 0;
    double high = 1;
    bool log = false; ///< low > 0
    QString title;

    bool operator==(const AxisRange&) const = default;
};

/// A horizontal line with a word on it: the entropy floor.
struct ChartLevel {
    double y;
    QString label;
    Theme::Role color;
};

/// Curves over one pair of axes. Behind it stands whatever library draws them; nothing else in the studio knows which.
/// Values are given in the data's own units; a logarithmic axis is the chart's business. Points are expected in the order of x and
/// already thinned to what the width can show (see SeriesStore::decimated).
class Chart : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    virtual void setSeries(int id, const SeriesLook& look, std::span<const QPointF> points) = 0;
    virtual void clearSeries() = 0;
    virtual void setRange(const AxisRange& x, const AxisRange& y) = 0;
    virtual void setLevels(std::vector<ChartLevel> levels) = 0;
    /// Marks on the upper edge where a value was no number.
    virtual void setMissing(std::vector<double> xs) = 0;
    /// A vertical line with a box of words; nothing takes it away.
    virtual void setCrosshair(std::optional<double> x, const QStringList& words) = 0;
    /// Width of the area inside the axes, in device-independent pixels.
    virtual double plotWidth() const = 0;
    /// Its words as they stand: legend, levels, crosshair. For tests and screen readers.
    virtual QStringList words() const = 0;
    /// Draws the chart as it stands; the same code as on the screen, so pictures and SVG are alike.
    virtual void render(QPainter& painter, const QRectF& target) = 0;

Q_SIGNALS:
    void hovered(double x); ///< the cursor stands at this x
    void left();            ///< the cursor left the plot
};

/// The chart of today: QtCharts.
Chart* makeChart(const Appearance& appearance, QWidget* parent);

} // namespace unroll
