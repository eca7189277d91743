// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/colour_map.h"
#include "app/studio/lenses/state/column_labels.h"
#include "app/studio/lenses/state/heat_scale.h"
#include "app/studio/lenses/state/unit_order.h"
#include "core/lens/frame.h"

#include <QImage>
#include <QWidget>
#include <memory>
#include <optional>

namespace unroll {

class Appearance;

/// One signal of one snapshot: steps to the right with their characters below, a row a unit, the values of one step beside it, a colour bar with its
/// numbers. A click, a drag or the arrow keys mark a cell; Escape takes the mark away.
class HeatMapView : public QWidget {
    Q_OBJECT
public:
    explicit HeatMapView(const Appearance& appearance, QWidget* parent = nullptr);

    /// Shows signal `index` of the frame; an empty frame or an index beyond it shows nothing.
    void setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index);
    bool isEmpty() const { return m_cells.values.empty(); }
    const HeatCells& cells() const { return m_cells; } ///< by the units' index, whatever the order of the rows
    std::int64_t missing() const { return m_cells.missing; }
    const HeatScale& scale() const { return m_scale; }
    /// While held the ends of the scale stay for all frames of one signal and text, so that their colours compare.
    void holdScale(bool held) { m_scaleHeld = held; }

    /// The rows go by this order of the frame shown now. They stay as they are while frames of the same signal and text come: rows that jump
    /// with every look could not be followed. reorder() sorts them again.
    void setOrder(UnitOrder order);
    void reorder();
    UnitOrder order() const { return m_order; }
    const std::vector<std::int64_t>& rows() const { return m_rows; } ///< the unit in each row, from the top
    bool canReorder() const { return m_cells.heads == 0; }           ///< rows of attention go by head and step

    struct Cell {
        std::int64_t step;
        std::int64_t unit; ///< by its index
        bool operator==(const Cell&) const = default;
    };
    std::optional<Cell> cellAt(const QPointF& position) const;
    std::optional<Cell> marked() const { return inside(m_marked); }
    /// The current cell: under the pointer, or else marked.
    std::optional<Cell> pointed() const;
    QString describe(const Cell& cell) const; ///< character, its place, unit and value in words
    QRectF mapArea() const;
    const ColumnLabels& labels() const
    {
        return m_labels;
    } ///< of the characters below the map; none where numbers were read
    QRectF labelArea(const ColumnLabels::Label& label) const;
    /// How often the picture was made: once for a frame, an order, a size or a theme, never for a move of the pointer.
    int picturesMade() const { return m_picturesMade; }
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

    void remakeMaps();
    void remakeImage(const QSize& device);
    void layOutLabels();
    bool goesOn(const ProbeFrame& frame, std::size_t index) const;
    void setHovered(std::optional<Cell> cell);
    void mark(std::optional<Cell> cell);
    void dragTo(const QPointF& position);
    void moveMark(std::int64_t steps, std::int64_t rows);
    void tell();
    QString stepWords(std::int64_t step) const; ///< “c”, character 3 of 40
    QString rowWords(std::int64_t unit) const;
    std::optional<Cell> inside(const std::optional<Cell>& cell) const;
    Cell nearestCell(const QPointF& position) const;
    Cell firstCell() const { return {0, m_rows.front()}; }
    std::int64_t rowOf(std::int64_t unit) const { return m_rowOf[static_cast<std::size_t>(unit)]; }
    QRectF charactersArea() const;
    QRectF profileArea() const;
    QRectF cellArea(const Cell& cell) const;
    HeatCells columnAt(std::int64_t step, std::int64_t rows) const;

    void paintUnits(QPainter& painter, const QRectF& map) const;
    void paintCharacters(QPainter& painter, const QRectF& map) const;
    void paintSteps(QPainter& painter, const QRectF& map) const;
    void paintHeads(QPainter& painter, const QRectF& map) const;
    void paintLookedAt(QPainter& painter) const;
    void paintBar(QPainter& painter, const QRectF& map) const;
    void paintProfile(QPainter& painter) const;
    void paintProfileHint(QPainter& painter, const QRectF& area) const;
    void paintHovered(QPainter& painter, const QRectF& map) const;
    void paintMarked(QPainter& painter) const;
    const ColourMap& colours() const { return m_scale.diverging ? m_diverging : m_sequential; }

    const Appearance& m_appearance;
    ColourMap m_diverging;
    ColourMap m_sequential;
    std::shared_ptr<const ProbeFrame> m_frame;
    std::size_t m_index = 0; ///< of the signal in the frame
    HeatCells m_cells;
    HeatScale m_scale;
    bool m_scaleHeld = false;
    UnitOrder m_order = UnitOrder::Index;
    std::vector<std::int64_t> m_rows;
    std::vector<std::int64_t> m_rowOf; ///< the inverse: the row of each unit
    QImage m_image;                    ///< of m_cells, at most as large as the map in device pixels
    QSize m_imageFor;                  ///< the map's size in device pixels that m_image was made for
    int m_picturesMade = 0;
    ColumnLabels m_labels;
    double m_labelLine = 0; ///< height of a line of them
    std::optional<Cell> m_hovered;
    std::optional<Cell> m_marked; ///< stays while other frames come, also where it lies beyond them
    Drag m_drag = Drag::None;
};

} // namespace unroll
