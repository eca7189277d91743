// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/heat_map_picture.h"
#include "app/studio/lenses/state/heat_map_places.h"

#include <QWidget>
#include <memory>
#include <optional>

namespace unroll {

class Appearance;

/// One signal of one snapshot as a picture with its scale. A click, a drag or the arrow keys mark a cell; Escape takes the mark away.
class HeatMapView : public QWidget {
    Q_OBJECT
public:
    explicit HeatMapView(const Appearance& appearance, QWidget* parent = nullptr);

    /// Shows signal `index` of the frame; an empty frame or an index beyond it shows nothing.
    void setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index);
    bool isEmpty() const { return m_data.isEmpty(); }
    void holdScale(bool held) { m_data.holdScale(held); }
    /// The rows go by this order of the frame shown now. They stay as they are while frames of the same signal and text come: rows that jump
    /// with every look could not be followed. reorder() sorts them again.
    void setOrder(UnitOrder order);
    void reorder();

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

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    enum class Drag { None, Cell, Step };

    void setHovered(std::optional<HeatMapCell> cell);
    void mark(std::optional<HeatMapCell> cell);
    void dragTo(const QPointF& position);
    void moveMark(std::int64_t steps, std::int64_t rows);
    void tell();

    const Appearance& m_appearance;
    HeatMapData m_data;
    HeatMapPlaces m_places;
    HeatMapPicture m_picture;
    std::optional<HeatMapCell> m_hovered;
    std::optional<HeatMapCell> m_marked; ///< stays while other frames come, also where it lies beyond them
    Drag m_drag = Drag::None;
};

} // namespace unroll
