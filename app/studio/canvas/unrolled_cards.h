// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/unrolled_drawing.h"
#include "core/graph/edit.h"

#include <QGraphicsItem>
#include <map>
#include <memory>
#include <set>

namespace unroll {

class GraphScene;

/// A node over five steps, as a card below it. Shows, and is no part of the document: it cannot be moved or selected.
class UnrolledItem : public QGraphicsItem {
public:
    enum { Type = UserType + 4 };

    UnrolledItem(NodeId node, const Appearance& appearance);

    NodeId node() const { return m_node; }
    int type() const override { return Type; }
    /// False: it was so already.
    bool setWhat(const Unrolled& what);
    void appearanceChanged();
    const UnrolledDrawing& drawing() const { return *m_drawing; }
    /// Its corner, and the middle of its node's lower edge, from which a line leads to it.
    void place(const QPointF& corner, const QPointF& anchor);
    QRectF body() const { return {pos(), m_drawing->size()}; } ///< in the scene

    QRectF boundingRect() const override;
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void layOut(const Unrolled& what);

    NodeId m_node;
    const Appearance& m_appearance;
    std::unique_ptr<UnrolledDrawing> m_drawing;
    QPointF m_anchor; ///< in its own coordinates
};

/// Which nodes of a document are drawn over time, and the cards of those on the level that is shown. A view: nothing
/// of it is in the document. Cards keep clear of nodes, comments and each other.
class UnrolledCards {
public:
    /// Where a node stands: the groups around it, and its id there.
    using Key = std::pair<GroupPath, NodeId>;

    explicit UnrolledCards(GraphScene& scene) : m_scene(scene) {}

    bool canShow(NodeId node) const; ///< one of the graph shown; it carries state
    bool isShown(NodeId node) const { return m_items.contains(node); }
    void show(const std::set<NodeId>& nodes, bool on); ///< of the graph shown
    const std::set<Key>& all() const { return m_all; }
    void setAll(std::set<Key> keys); ///< those that are not there, or carry no state, are not shown

    UnrolledItem* item(NodeId node) const;  ///< nullptr: not shown
    NodeId nodeAt(const QPointF& at) const; ///< whose card lies there, scene coordinates; 0: none
    QRectF rect() const;                    ///< of all cards
    /// As the scene is now. While nodes are dragged cards stay, and only their lines follow.
    void follow(bool isDrag);
    void appearanceChanged();

private:
    static QRectF clearPlace(QRectF place, const std::vector<QRectF>& taken);
    void placeAll();

    GraphScene& m_scene;
    std::set<Key> m_all;
    std::map<NodeId, UnrolledItem*> m_items; ///< owned by the scene
};

} // namespace unroll
