// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/edit_commands.h"

#include <QMenu>

namespace unroll {

struct WindowActions;

/// What a menu of the canvas is about.
enum class ContextMenu { Canvas, Nodes, Comment, Wire };

/// The menu of the canvas, made of the window's own commands: for what is selected, or for empty canvas, where Paste
/// goes to `at` in scene coordinates. Deletes itself when it closes.
QMenu* makeContextMenu(const WindowActions& actions, EditCommands& commands, ContextMenu kind, const QPointF& at,
                       QWidget* parent);

} // namespace unroll
