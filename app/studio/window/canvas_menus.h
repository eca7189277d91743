// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/context_menu.h"

#include <optional>

namespace unroll {

class GraphView;
struct WireEnd;

/// Which menu opens where on the canvas: by the mouse that of what lies under it, by the keyboard that of what is
/// selected.
class CanvasMenus : public QObject {
    Q_OBJECT
public:
    /// All must outlive it; it belongs to the window.
    CanvasMenus(const WindowActions& actions, EditCommands& commands, GraphView& view, QWidget* window);

private:
    void showAt(const QPoint& at);
    void showOfSelection();
    void showConnectMenu();
    void popUp(ContextMenu kind, const QPoint& at, const std::optional<WireEnd>& port = {});

    const WindowActions& m_actions;
    EditCommands& m_commands;
    GraphView& m_view;
    GraphScene& m_scene;
    QWidget* m_window;
};

} // namespace unroll
