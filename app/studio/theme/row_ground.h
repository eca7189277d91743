// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QPainter;
class QStyleOptionViewItem;

namespace unroll {

class Theme;

/// What lies under a row of a list that is drawn by us: that it is chosen or pointed at, and the ring of the keyboard.
/// Leaves the painter's pen and brush changed.
void paintRowGround(QPainter& painter, const QStyleOptionViewItem& option, const Theme& theme);

} // namespace unroll
