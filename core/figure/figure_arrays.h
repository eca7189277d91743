// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/figure/figure_source.h"
#include "core/format/tensor_view.h"
#include "core/lens/figure.h"

#include <vector>

namespace unroll {

/// All numbers of the figure as named arrays:
///
///     PANEL.SERIES.x .y                    float64 [points]; .low .high .shade where there are some; .units int64,
///                                          likewise
///     PANEL.CELLS                          float32 [rows, columns]; .units int64 [rows]
///     PANEL.circles                        float64 [circles, 3]: x, y, radius
///     PANEL.rules                          float64 [rules, 2]: 1 where it is vertical, and its place
///     ARRAY                                float64, in its own shape
///     missing, training_step               int64 []
///
/// PANEL is FigurePanel::id. What is not a number stays NaN or infinite. Words (findings, tables, labels, notes) are in
/// JSON and CSV alone.
std::vector<format::OwnedTensor> figureArrays(const Figure& figure, const FigureSource& source);

} // namespace unroll
