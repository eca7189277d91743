// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/figure/figure_painter.h"

#include <QPixmap>
#include <QWidget>

namespace unroll {

class Appearance;

/// One panel of a figure. The pointer and the arrow keys point at its values; in a panel of steps they move the cursor,
/// a click holds it, a drag or Shift with the arrows brushes a span, Enter or a click chooses the unit that a value
/// stands for, Escape lets go. What all views share comes by setShared() alone: this view tells, and is told.
class FigurePanelView : public QWidget {
    Q_OBJECT
public:
    explicit FigurePanelView(const Appearance& appearance, QWidget* parent = nullptr);

    /// Panel `index` of the figure; what was pointed at stays where it is still there.
    void setFigure(std::shared_ptr<const Figure> figure, std::size_t index, std::int64_t steps,
                   const FigureMargins& margins);
    void setShared(const FigurePainter::Hand& shared); ///< but for the mark, which is this view's own

    const FigurePlot& plot() const { return *m_plot; } ///< once a figure was set
    const std::optional<FigureMark>& mark() const { return m_mark; }
    QString shownText() const; ///< of what is pointed at; empty: nothing is
    QSize sizeHint() const override { return {360, m_leastHeight + 60}; }
    QSize minimumSizeHint() const override { return {140, m_leastHeight}; }

Q_SIGNALS:
    void pointed(const QString& words);
    void stepPointed(std::int64_t step);
    void stepHeld(std::int64_t step);
    void released();
    void spanBrushed(std::int64_t from, std::int64_t to); ///< -1: none any more
    void unitsChosen(const std::vector<std::int64_t>& units);
    void shown(const QPoint& at); ///< the keyboard is here: to be seen

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void layOut();
    void point(std::optional<FigureMark> mark);
    void tell();
    void brush(double x);
    bool handle(const QKeyEvent& key, bool act);
    bool walk(int across, int down, bool act);
    bool walkSteps(std::int64_t step, bool brushes, bool act);
    bool release(bool act);
    bool chooseUnits(bool act);
    std::optional<FigureMark> markAtStep(std::int64_t step) const;
    std::optional<FigureMark> beside(int across, int down) const;
    std::optional<FigureMark> nextPoint(const FigureMark& from, int across) const;

    const Appearance& m_appearance;
    std::optional<FigurePlot> m_plot;
    FigureMargins m_margins;
    FigurePainter::Hand m_shared;
    std::optional<FigureMark> m_mark;
    QPixmap m_picture; ///< all but the hand; null: to be drawn
    int m_leastHeight = 100;
    std::optional<std::int64_t> m_pressed; ///< the step
    QPointF m_pressedAt;
    bool m_brushing = false;
    std::int64_t m_brushFrom = -1; ///< where Shift began
};

} // namespace unroll
