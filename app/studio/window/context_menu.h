// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/edit_commands.h"

#include <QMenu>

namespace unroll {

struct WindowActions;

/// The menu of the canvas, made of the window's own commands: for the selected nodes (`onNodes`), or for empty canvas, where Paste goes to
/// `at` in scene coordinates. Deletes itself when it closes.
QMenu* makeContextMenu(const WindowActions& actions, EditCommands& commands, bool onNodes, const QPointF& at,
                       QWidget* parent);

} // namespace unroll
