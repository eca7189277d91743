// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/theme.h"

#include <QPalette>
#include <QVariant>

class QWidget;

namespace unroll {

/// What the style sheet keeps free around text that can have the keyboard, for the ring that says so; pixels.
inline constexpr int kFocusRing = 2;

/// Sets a property that the style sheet reads, and has the widget and all that is in it drawn by it. Nothing where it
/// has that value already. A property of a part of the window that has a page of help of its own: the page's name.
inline constexpr const char* kHelpTopicProperty = "helpTopic";

void restyle(QWidget& widget, const char* property, const QVariant& value);

QPalette stylePalette(const Theme& theme);

/// `times` the body size in whole steps of two pixels, so that what is round has a middle.
int evenPixels(double times, double bodyPixels);

/// resources/themes/studio.qss with every @role replaced by its colour and every @{n} by evenPixels(n).
/// Asserts that no name is left unreplaced.
QString styleSheet(const Theme& theme, double bodyPixels);

} // namespace unroll
