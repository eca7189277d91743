// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/canvas_menus.h"

#include "app/studio/canvas/connect_menu.h"
#include "app/studio/canvas/graph_view.h"
#include "app/studio/canvas/hit_test.h"
#include "app/studio/window/window_actions.h"

#include <algorithm>

namespace unroll {

CanvasMenus::CanvasMenus(const WindowActions& actions, EditCommands& commands, GraphView& view, QWidget* window)
    : QObject(window),
      m_actions(actions),
      m_commands(commands),
      m_view(view),
      m_scene(view.graphScene()),
      m_window(window)
{
    connect(actions.connectNode, &QAction::triggered, this, &CanvasMenus::showConnectMenu);
    connect(actions.contextMenu, &QAction::triggered, this, &CanvasMenus::showOfSelection);
    connect(&view, &GraphView::menuAsked, this, &CanvasMenus::showAt);
}

/// Of what lies there, which is then selected.
void CanvasMenus::showAt(const QPoint& at)
{
    const QPointF place = m_view.mapToScene(at);
    const auto port = portAt(m_scene, place, GraphView::kPortReach);
    const NodeItem* node = port ? m_scene.node(port->port.node) : nodeAt(m_scene, place);
    if (const NodeId drawn = m_scene.unrolled().nodeAt(place); node == nullptr && drawn != 0)
        node = m_scene.node(drawn);
    const auto grip = node == nullptr ? gripAt(m_scene, place, 0) : std::nullopt;
    const WireItem* wire = node == nullptr && !grip ? m_view.wireUnder(at) : nullptr;
    const Picked picked = m_scene.picked();
    if (node != nullptr && !picked.nodes.contains(node->id()))
        m_scene.select({node->id()});
    if (grip && !picked.frames.contains(grip->frame))
        m_scene.pick({{}, {}, {grip->frame}});
    if (wire != nullptr && !picked.wires.contains(wire->wire()))
        m_scene.pick({{}, {wire->wire()}, {}});
    if (node == nullptr && !grip && wire == nullptr)
        return popUp(ContextMenu::Canvas, at);
    popUp(node != nullptr ? ContextMenu::Nodes : grip ? ContextMenu::Comment : ContextMenu::Wire, at, port);
}

void CanvasMenus::popUp(ContextMenu kind, const QPoint& at, const std::optional<WireEnd>& port)
{
    QMenu* menu = makeContextMenu(m_actions, m_commands, kind, m_view.mapToScene(at), m_window);
    if (port)
        addPortEntries(*menu, m_scene, *port);
    menu->popup(m_view.viewport()->mapToGlobal(at));
}

/// Beside the node that is selected.
void CanvasMenus::showConnectMenu()
{
    const NodeId node = *m_scene.selection().begin();
    auto* menu = new QMenu(m_window);
    menu->setObjectName("connectMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillConnectMenu(*menu, m_scene, node);
    const QPointF corner = m_scene.nodesRect(true).topRight();
    menu->popup(m_view.viewport()->mapToGlobal(m_view.mapFromScene(corner)));
}

/// By the keyboard: where what is selected stands, or as much of that as is in view.
void CanvasMenus::showOfSelection()
{
    const QRect port = m_view.viewport()->rect();
    const Picked picked = m_scene.picked();
    const ContextMenu kind = !picked.nodes.empty()    ? ContextMenu::Nodes
                             : !picked.frames.empty() ? ContextMenu::Comment
                             : !picked.wires.empty()  ? ContextMenu::Wire
                                                      : ContextMenu::Canvas;
    const QRectF area = m_scene.pickedRect();
    const QPoint middle = kind == ContextMenu::Canvas ? port.center() : m_view.mapFromScene(area.center());
    popUp(kind, {std::clamp(middle.x(), port.left(), port.right()), std::clamp(middle.y(), port.top(), port.bottom())});
}

} // namespace unroll
