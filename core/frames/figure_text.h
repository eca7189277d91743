// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/frames/number_pools.h"
#include "core/lens/figure.h"

namespace unroll {

/// All of the figure but its numbers, which go into the pools.
Json figureWords(const Figure& figure, NumberPools& numbers);
Result<Figure> figureOfWords(const Json& words, const ReadPools& numbers);

} // namespace unroll
