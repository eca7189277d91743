// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/figure.h"

namespace unroll {

/// The values that an axis goes from and to, low < high; both positive where it is logarithmic.
struct Span {
    double low = 0, high = 1;

    bool operator==(const Span&) const = default;
};

/// What the axis says, else what the panel holds with a little room. Columns, steps and labelled places reach half a
/// place beyond the outer ones, bars stand on zero. 0..1 (1..10 where it is logarithmic) where there is nothing.
Span xSpan(const FigurePanel& panel);
Span ySpan(const FigurePanel& panel);

/// Places along the x axis that are steps; 0: it has none.
std::int64_t stepsOf(const FigurePanel& panel);

/// Points of the series that have no place since an axis is logarithmic and their value is not positive.
std::int64_t leftOutByLog(const FigurePanel& panel);

/// Of a panel's bars: the distance of two neighbours; 1 where there is one bar.
double barSpacing(const FigurePanel& panel);

} // namespace unroll
