// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/colour_map.h"
#include "app/studio/lenses/heat_scale.h"
#include "core/lens/frame.h"

#include <QImage>
#include <QWidget>
#include <memory>
#include <optional>

namespace unroll {

class Appearance;

/// One signal of one look: steps to the right with their characters below, units downwards, a colour bar with its numbers.
class HeatMapView : public QWidget {
    Q_OBJECT
public:
    explicit HeatMapView(const Appearance& appearance, QWidget* parent = nullptr);

    /// Shows signal `index` of the frame; an empty frame or an index beyond it shows nothing.
    void setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index);
    bool isEmpty() const { return m_cells.values.empty(); }
    std::int64_t missing() const { return m_cells.missing; }
    const HeatScale& scale() const { return m_scale; }

    struct Cell {
        std::int64_t step;
        std::int64_t unit;
        bool operator==(const Cell&) const = default;
    };
    std::optional<Cell> cellAt(const QPointF& position) const;
    QString describe(const Cell& cell) const; ///< character, unit and value in words
    QRectF mapArea() const;
    QSize sizeHint() const override { return {560, 260}; }
    QSize minimumSizeHint() const override { return {220, 140}; }

Q_SIGNALS:
    void hovered(const QString& words); ///< empty when the cursor left the map

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void remakeMaps();
    void remakeImage(const QSize& device);
    void setHovered(std::optional<Cell> cell);
    void paintUnits(QPainter& painter, const QRectF& map) const;
    void paintCharacters(QPainter& painter, const QRectF& map) const;
    void paintBar(QPainter& painter, const QRectF& map) const;
    void paintHovered(QPainter& painter, const QRectF& map) const;
    const ColourMap& colours() const { return m_scale.diverging ? m_diverging : m_sequential; }

    const Appearance& m_appearance;
    ColourMap m_diverging;
    ColourMap m_sequential;
    std::shared_ptr<const ProbeFrame> m_frame;
    HeatCells m_cells;
    HeatScale m_scale;
    QImage m_image;   ///< of m_cells, at most as large as the map in device pixels
    QSize m_imageFor; ///< the map's size in device pixels that m_image was made for
    std::optional<Cell> m_hovered;
};

} // namespace unroll
