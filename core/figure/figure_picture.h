// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/figure/figure_source.h"
#include "core/lens/figure.h"

#include <string>

namespace unroll {

enum class FigureTheme { Light, Dark };

/// The figure drawn with its title, its one line and its axes: panels one under another, then tables. 760 units wide
/// (1180 with many steps), 96 to an inch; a PNG has two pixels in a unit, 8-bit RGB. What is not finite is hatched. The
/// same numbers give the same bytes, where the same fonts are installed (DejaVu).
Result<std::string> figurePng(const Figure& figure, const FigureSource& source, FigureTheme theme);
Result<std::string> figureSvg(const Figure& figure, const FigureSource& source, FigureTheme theme);

} // namespace unroll
