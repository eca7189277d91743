// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <QGraphicsItem>
#include <algorithm>
#include <optional>

namespace unroll {

class Appearance;

/// Grips of a comment: its title moves it, its edges resize it.
struct FrameGrip {
    FrameId frame = 0;
    Qt::Edges edges; ///< none: the title
};

/// A comment: a titled box behind the nodes and wires. The smaller of two lies above the larger.
class FrameItem : public QGraphicsItem {
public:
    enum { Type = UserType + 3 };
    static constexpr double kTitleHeight = 30; ///< of the strip on top; scene units, as all here
    static constexpr double kLeastWidth = 100;
    static constexpr double kLeastHeight = kTitleHeight + 30;

    FrameItem(FrameId id, const Appearance& appearance);

    FrameId id() const { return m_id; }
    int type() const override { return Type; }
    void setFrame(const Frame& frame);
    const Frame& frame() const { return m_frame; }
    QRectF body() const { return {0, 0, m_frame.width, m_frame.height}; } ///< in its own coordinates
    QRectF titleRect() const { return {0, 0, m_frame.width, std::min(kTitleHeight, m_frame.height)}; }
    /// The part of it at a point of the scene; nothing inside and outside. `reach`: to both sides of an edge.
    std::optional<FrameGrip> gripAt(const QPointF& at, double reach) const;

    QRectF boundingRect() const override;
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    FrameId m_id;
    const Appearance& m_appearance;
    Frame m_frame;
};

/// The frame with its edges moved by this much, on the grid and no smaller than it may be.
Frame resized(const Frame& frame, Qt::Edges edges, const QPointF& by);

/// Whether the middle of the body lies in it: then it moves with the frame.
bool holds(const Frame& frame, const QRectF& body);

} // namespace unroll
