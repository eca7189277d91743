// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/node_labels.h"
#include "core/check/wiring.h"

#include <QGraphicsItem>
#include <optional>
#include <set>

namespace unroll {

/// How ports show while a wire is drawn: those that take it lit, the one it is drawn from as ever, all others dim.
struct PortLights {
    std::set<std::string> inputs;
    std::set<std::string> outputs;
    std::optional<WireEnd> held;

    bool operator==(const PortLights&) const = default;
};

/// The picture of one node. Draws a NodeFace; holds no parameter and knows no document. Below `kFlatScale` one flat
/// shape with its name.
class NodeItem : public QGraphicsItem {
public:
    enum { Type = UserType + 1 };
    static constexpr double kFlatScale = 0.35;

    NodeItem(NodeId id, const Appearance& appearance);

    NodeId id() const { return m_id; }
    int type() const override { return Type; }
    const NodeFace& face() const { return m_face; }
    const NodeGeometry& geometry() const { return m_geometry; }
    /// True when the face differs from the one shown: wires then need new ends.
    bool setFace(NodeFace face);
    void appearanceChanged();
    void setLights(std::optional<PortLights> lights); ///< nothing: all ports as ever
    const std::optional<PortLights>& lights() const { return m_lights; }

    std::vector<WireEnd> ends() const; ///< inputs, then outputs
    /// A port's middle in scene coordinates; the middle of the node's side for one that it does not show.
    QPointF placeOf(const WireEnd& end) const;
    const PortFace* port(const std::string& name, bool isOutput) const; ///< nullptr: not shown

    QRectF boundingRect() const override;
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void layOut();
    void paintFlat(QPainter& painter, double scale);
    void paintBody(QPainter& painter) const;
    void paintHeader(QPainter& painter) const;
    void paintPorts(QPainter& painter, bool outputs) const;
    void paintPort(QPainter& painter, const PortFace& port, const QPointF& at, int outwards) const;
    void paintFooter(QPainter& painter) const;
    void paintOutline(QPainter& painter) const;
    void paintBadge(QPainter& painter) const;

    NodeId m_id;
    const Appearance& m_appearance;
    NodeFace m_face;
    NodeGeometry m_geometry;
    std::optional<NodeLabels> m_labels; ///< laid out when they are first drawn: most of a large graph is far away
    std::optional<FarLabel> m_farLabel; ///< likewise
    std::optional<PortLights> m_lights;
};

} // namespace unroll
