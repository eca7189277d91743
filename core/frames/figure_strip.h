// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/frames/kept_frame.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace unroll {

/// So many frames of a series, evenly spread over its updates, the first and the newest among them; all where there are
/// fewer. Their steps, ascending.
std::vector<std::int64_t> spreadUpdates(const std::vector<KeptSeries::Frame>& frames, std::size_t count);

/// Small multiples: the first panel of each frame, on one scale. Each has axes of its own, all with the same ends, and
/// its update in the title; cells stand behind one another in one panel, a rule with the update before each, in rows of
/// the order of the newest frame. Frames of another reading than the newest, or with other rows, are left out and
/// counted. Errors: there is none, it has no panel, or no number.
Result<Figure> figureStrip(const std::vector<std::shared_ptr<const KeptFrame>>& frames);

} // namespace unroll
