// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/node_geometry.h"
#include "core/graph/graph.h"

#include <QGraphicsItem>
#include <optional>

namespace unroll {

/// The picture of one node. Draws a NodeFace; holds no parameter and knows no document. Below `flatScale` one flat shape.
class NodeItem : public QGraphicsItem {
public:
    enum { Type = UserType + 1 };
    static constexpr double flatScale = 0.35;

    NodeItem(NodeId id, const Appearance& appearance);

    NodeId id() const { return m_id; }
    int type() const override { return Type; }
    const NodeFace& face() const { return m_face; }
    const NodeGeometry& geometry() const { return m_geometry; }
    /// True when the face differs from the one shown: wires then need new ends.
    bool setFace(NodeFace face);
    void appearanceChanged();

    /// Port centres in scene coordinates; the node's side middle for a port that it does not show.
    QPointF inputAt(const std::string& port) const;
    QPointF outputAt(const std::string& port) const;
    const PortFace* output(const std::string& port) const;

    QRectF boundingRect() const override;
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void paintFlat(QPainter& painter) const;
    void paintBody(QPainter& painter) const;
    void paintHeader(QPainter& painter) const;
    void paintPorts(QPainter& painter) const;
    void paintPort(QPainter& painter, const PortFace& port, const QPointF& at) const;
    void paintFooter(QPainter& painter) const;
    void paintOutline(QPainter& painter) const;
    void paintBadge(QPainter& painter) const;

    NodeId m_id;
    const Appearance& m_appearance;
    NodeFace m_face;
    NodeGeometry m_geometry;
};

} // namespace unroll
