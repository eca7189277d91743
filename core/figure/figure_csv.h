// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/figure.h"

#include <string>

namespace unroll {

/// All of the figure as one table (RFC 4180, a header line, lines end in CR LF): one point, cell or word a line. `part`
/// says what a line is, the columns that it does not need are empty; what is not a number is NaN, Infinity or
/// -Infinity.
///
///     part      panel     series    x        y        value    low high shade   unit      note
///     shows                                                                              the sentence
///     finding                                                                            the sentence
///     missing                                         count
///     cell      its id    name      column   row      value                     its row's
///     series    its id    name      x        y                 some, if any     the point's  the point's
///     circle    its id              x        y        radius                             label
///     rule      its id              or x     or y                                        label
///     label     its id    x or y    place    or place                                    of that place on the axis
///     table     its id    column             row      if a number                        as shown
///     array               name      place in the last dimension, in the others together, value
std::string figureCsv(const Figure& figure);

} // namespace unroll
