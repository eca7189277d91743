// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/theme.h"

#include <QPalette>

namespace unroll {

QPalette stylePalette(const Theme& theme);

/// resources/themes/studio.qss with every @role replaced by its colour and every @{n} by n times the body size in pixels.
/// Asserts that no name is left unreplaced.
QString styleSheet(const Theme& theme, double bodyPixels);

} // namespace unroll
