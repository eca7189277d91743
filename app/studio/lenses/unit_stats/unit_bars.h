// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/unit_stats/unit_stats.h"

#include <QWidget>
#include <memory>
#include <optional>

namespace unroll {

class Appearance;

/// A bar for each unit, from zero to its mean, with a whisker one deviation up and down; a unit without a number has
/// none. A line above says what is pointed at, by mouse or arrow keys (Escape clears it), or else of all units.
class UnitBars : public QWidget {
    Q_OBJECT
public:
    explicit UnitBars(const Appearance& appearance, QWidget* parent = nullptr);

    /// The place that is pointed at stays, where it is there. Not null, with a unit at least.
    void setStats(std::shared_ptr<const UnitStatsData> stats);
    /// The place from the left, in the order of the stats; nothing: none is pointed at.
    std::optional<std::size_t> pointed() const;
    QString words() const;
    const QRectF& plotArea() const { return m_area; }
    /// From zero to the mean; null for a unit without a number.
    QRectF barArea(std::size_t place) const;
    /// From the mean less to the mean plus the deviation; null likewise.
    QLineF whisker(std::size_t place) const;
    QSize sizeHint() const override { return {420, 240}; }
    QSize minimumSizeHint() const override { return {220, 140}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    std::size_t count() const { return m_stats ? m_stats->units.size() : 0; }
    double slot() const { return m_area.width() / static_cast<double>(count()); }
    double yOf(double value) const;
    void fitAxis();
    void layOut();
    void point(std::optional<std::size_t> place);
    std::optional<std::size_t> moved(int key) const;
    void paintAxes(QPainter& painter) const;
    void paintUnitLabels(QPainter& painter) const;
    void paintBars(QPainter& painter) const;

    const Appearance& m_appearance;
    std::shared_ptr<const UnitStatsData> m_stats;
    double m_low = 0, m_high = 1; ///< ends of the axis of means
    int m_ticks = 2;              ///< wanted on it
    QRectF m_area;
    std::optional<std::size_t> m_pointed;
};

} // namespace unroll
