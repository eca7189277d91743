// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/chart.h"

#include <functional>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace unroll {

/// Mouse and keys on a chart. Drag moves, Shift and drag boxes what to zoom to, the wheel zooms about the cursor
/// (beside the plot one axis alone, with Shift x alone), a double click shows all of it. Keys: left and right read
/// along the curves, with Shift they move; up, down move; + and - zoom; Home shows all of it.
class ChartInteraction : public QObject {
    Q_OBJECT
public:
    /// Watches the surface's mouse and the keys of `keys`; all must outlive it.
    ChartInteraction(QWidget& surface, QWidget& keys, const ChartPicture& picture, std::function<QRectF()> plot);

Q_SIGNALS:
    void hovered(double x);
    void left();
    void viewAsked(const unroll::AxisRange& x, const unroll::AxisRange& y);
    void fitAsked();
    void boxChanged(const QRectF& box); ///< in pixels; empty: none

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Doing { Nothing, Pressed, Moving, Boxing };
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    bool wheel(const QWheelEvent& event);
    bool key(const QKeyEvent& event);
    void point(const QPointF& at);
    void readAlong(double share);
    void shift(double shareX, double shareY);
    void zoom(const QPointF& about, double factorX, double factorY);
    double shareX(double pixel) const;
    double shareY(double pixel) const;
    QRectF box(const QPointF& to) const;

    QWidget& m_surface;
    QWidget& m_keys;
    const ChartPicture& m_picture;
    std::function<QRectF()> m_plot;
    Doing m_doing = Doing::Nothing;
    QPointF m_from;
    AxisRange m_x; ///< as they were at the press: what is drawn meanwhile moves no ground
    AxisRange m_y;
    std::optional<double> m_read; ///< share of x that was read last
};

} // namespace unroll
