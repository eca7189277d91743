// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/diagnostic.h"
#include "core/experiment/settings.h"

#include <cstdint>
#include <optional>

namespace unroll {

// Settings that may mend what a run met, one click each. Nothing where there is nothing left to change.

std::optional<Fix> lowerLearningRate(double peak);                              ///< to half of it
std::optional<Fix> setBatch(const TrainSettings& settings, std::int64_t batch); ///< nothing unless it is smaller
std::optional<Fix> halveBatch(const TrainSettings& settings);
Fix useCpu();
/// What lets a run that finished after `done` steps go on: as many steps again, or no patience where that ended it
/// early.
std::optional<Fix> trainOn(const TrainSettings& settings, std::int64_t done);

} // namespace unroll
