// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/study/study_view_state.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

class QFontMetricsF;

namespace unroll {

/// Where axes and trials of parallel coordinates lie, without a widget. Pixels.
class ParallelPlaces {
public:
    static constexpr double kReach = 12;     ///< beside an axis: the hand is on it
    static constexpr double kLineReach = 8;  ///< from a trial's line
    static constexpr double kLeastAxis = 80; ///< room for one axis

    void layOut(const QSizeF& size, const QFontMetricsF& text, std::size_t axes);

    const QRectF& area() const { return m_area; } ///< from the first axis to the last
    double axisX(std::size_t axis) const;
    double y(double share) const { return m_area.bottom() - share * m_area.height(); }
    double shareAt(double y) const;
    double room() const; ///< between two axes
    std::optional<std::size_t> axisAt(const QPointF& at) const;
    /// The pieces of a trial's line: axes that it has no value on part it.
    std::vector<std::vector<QPointF>> lineOf(const StudyPlot& plot, std::size_t trial) const;
    /// Among trials within the brushes; nothing: none is near.
    std::optional<std::size_t> trialAt(const StudyPlot& plot, const QPointF& at) const;

private:
    QRectF m_area;
    std::size_t m_axes = 0;
};

} // namespace unroll
