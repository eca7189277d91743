// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/span_brush.h"
#include "app/studio/lenses/state/heat_map_picture.h"
#include "app/studio/lenses/state/heat_map_places.h"

#include <QPixmap>
#include <QScrollBar>
#include <QWidget>
#include <memory>
#include <optional>

namespace unroll {

class Appearance;
struct HeatMapMove;
struct HeatMapZoom;

/// One signal of one snapshot as a picture with its scale. A click, a drag or the arrow keys mark a cell, with Shift
/// they brush a span of steps; Escape takes the mark away, then the span. The wheel scrolls the rows where not all are
/// seen; with Ctrl, or by + and -, they get taller, with Ctrl and Shift, or by . and comma, the steps get wider; 0
/// shows all again.
class HeatMapView : public QWidget {
    Q_OBJECT
public:
    explicit HeatMapView(const Appearance& appearance, QWidget* parent = nullptr);

    /// Shows signal `index` of the frame; an empty frame or an index beyond it shows nothing.
    void setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index);
    bool isEmpty() const { return m_data.isEmpty(); }
    void holdScale(bool held) { m_data.holdScale(held); }
    /// The rows go by this order of the frame shown now. They stay as they are while frames of the same signal and text
    /// come: rows that jump with every snapshot could not be followed. reorder() sorts them again.
    void setOrder(UnitOrder order);
    void reorder();
    void setRows(std::vector<std::int64_t> rows); ///< in an order that was found elsewhere, see HeatMapData
    void setUnitScale(UnitScale scale);
    void showPhase(bool shown);
    /// Steps are seen alike in the views that share this.
    void shareSteps(std::shared_ptr<AxisZoom> steps);
    void setLabelled(bool labelled); ///< whether the characters stand below
    /// The step that all views of the reading point at; -1: none. Held: the mark goes along.
    void setStep(std::int64_t step, bool held);
    void unmark(); ///< without a word
    void setSpan(const StepSpan& span);
    void setSelected(std::vector<std::int64_t> units);
    void zoomRows(double factor);
    void zoomSteps(double factor);
    void fitAll();
    void stepsMoved(); ///< what is seen of the shared steps is another

    const HeatMapData& data() const { return m_data; }
    const HeatMapPlaces& places() const { return m_places; }
    const HeatMapPicture& picture() const { return m_picture; }

    std::optional<HeatMapCell> marked() const { return m_data.inside(m_marked); }
    /// The current cell: under the pointer, or else marked.
    std::optional<HeatMapCell> pointed() const;
    QSize sizeHint() const override { return {560, 260}; }
    QSize minimumSizeHint() const override { return {220, 140}; }

Q_SIGNALS:
    void pointedAt(const QString& words); ///< describes pointed(); empty: there is none
    void canReorderChanged(bool can);
    void stepPointed(std::int64_t step); ///< by the pointer; -1: it has gone
    /// By hand: marked() is another. By a click the unit is told for itself, see unitClicked.
    void marksChanged(bool byClick);
    void unitClicked(std::int64_t unit, bool adds);
    void spanBrushed(std::int64_t from, std::int64_t to); ///< -1: none any more
    void stepsChanged();                                  ///< what is seen of the steps is another, by hand

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    enum class Drag { None, Cell, Step, Span };

    void setHovered(std::optional<HeatMapCell> cell);
    void mark(std::optional<HeatMapCell> cell, bool byClick = false);
    void dragTo(const QPointF& position, bool byClick);
    void moveMark(const HeatMapMove& move);
    void brush(const StepSpan& span) { Q_EMIT spanBrushed(span.from, span.to); }
    bool releaseStep();
    void tell();
    void zoomBy(const HeatMapZoom& zoom);
    void forget();
    void changed();
    void placeScroll();

    const Appearance& m_appearance;
    HeatMapData m_data;
    HeatMapPlaces m_places;
    HeatMapPicture m_picture;
    QPixmap m_still;      ///< all but the hand; null: to be painted
    QRectF m_stillPlace;  ///< of all cells, when it was
    QScrollBar* m_scroll; ///< of the rows
    std::optional<HeatMapCell> m_hovered;
    std::int64_t m_step = -1;
    StepSpan m_span;
    SpanBrush m_brush;
    std::vector<std::int64_t> m_selected;
    std::optional<HeatMapCell> m_marked; ///< stays while other frames come, also where it lies beyond them
    Drag m_drag = Drag::None;
};

} // namespace unroll
