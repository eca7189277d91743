// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/span_brush.h"
#include "app/studio/lenses/state/heat_map_data.h"
#include "app/studio/plot/colour_map.h"

#include <QWidget>
#include <cstdint>
#include <optional>

namespace unroll {

class Appearance;

/// A signal of matrices: those of the current step side by side with the bar of their colours, and below them one of
/// them at every step, small. A click on a small one holds its step, a click on a large one chooses what is shown
/// small.
class MatrixView : public QWidget {
    Q_OBJECT
public:
    /// Draws what `shown` holds when it is painted; it must outlive this.
    MatrixView(const HeatMapData& shown, const Appearance& appearance, QWidget* parent = nullptr);

    void setStep(std::int64_t step); ///< -1: none; the last one is shown then
    void setSpan(const StepSpan& span);
    std::int64_t count() const { return m_data.isEmpty() ? 0 : matrixCount(m_data.signal()); } ///< at each step
    std::int64_t chosen() const { return m_chosen < count() ? m_chosen : 0; }
    QRectF placeOf(std::int64_t matrix) const;    ///< of a large one
    QRectF smallPlaceOf(std::int64_t step) const; ///< empty: it has no room
    QRectF bar() const;                           ///< of the colours, from the greatest value to the least
    std::int64_t every() const;                   ///< each n-th step is shown small
    QSize sizeHint() const override { return {560, 240}; }
    QSize minimumSizeHint() const override { return {220, 140}; }

Q_SIGNALS:
    void pointedAt(const QString& words);
    void stepPointed(std::int64_t step);
    void stepHeld(std::int64_t step);
    void released();
    void spanBrushed(std::int64_t from, std::int64_t to); ///< -1: none any more

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    std::int64_t shownStep() const;
    QRectF large() const;                                      ///< the room of the large ones
    QRectF strip() const;                                      ///< of the small ones
    std::int64_t rows() const { return m_data.signal().rows; } ///< where there are matrices
    std::int64_t columns() const { return m_data.signal().columns; }
    QSizeF within(double width, double height) const; ///< of a drawn matrix
    double smallSide() const;
    std::int64_t across(double side) const;  ///< small ones in a line
    std::int64_t roomFor(double side) const; ///< small ones in all lines
    QImage imageOf(std::int64_t step, std::int64_t matrix) const;
    void paintLarge(QPainter& painter) const;
    void paintStrip(QPainter& painter) const;
    void paintBar(QPainter& painter) const;
    QString nameOf(std::int64_t matrix) const;                        ///< "head 0"
    std::optional<HeatMapCell> cellAt(const QPointF& position) const; ///< of a large one
    void brush(const StepSpan& span) { Q_EMIT spanBrushed(span.from, span.to); }
    std::optional<std::int64_t> led(int key) const;
    bool moveCell(int key);
    void paintCell(QPainter& painter, const QRectF& place) const;
    std::optional<std::int64_t> stepAt(const QPointF& position) const;

    const HeatMapData& m_data;
    const Appearance& m_appearance;
    ColourMap m_colours;
    std::int64_t m_step = -1;
    StepSpan m_span;
    SpanBrush m_brush;
    std::int64_t m_chosen = 0;
    std::int64_t m_cell = -1; ///< of the chosen matrix, row by row, that keys went to; -1: none
};

} // namespace unroll
