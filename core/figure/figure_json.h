// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/figure/figure_source.h"
#include "core/lens/figure.h"

namespace unroll {

/// All of the figure, its members under the names that they have in Figure, with where it comes from before them. What
/// is not a number is null; `missing` counts those that the lens examined. Cells are rows of values; an array is flat
/// beside its shape. Members that are empty are left out.
Json figureJson(const Figure& figure, const FigureSource& source);

} // namespace unroll
