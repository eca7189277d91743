// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace unroll {

/// Gives a bar whose words wrap the height that they need at its width, even where the window has too little: a layout
/// would squeeze it.
void keepHeight(QWidget& bar);

} // namespace unroll
