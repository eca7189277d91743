// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"
#include "core/lens/tracks/reading.h"
#include "core/model/model.h"

#include <vector>

namespace unroll::lenses::tracks {

/// Records the states of all recurrent nodes; what a node outputs where it shows no state as units at every step.
RecordingRequest ofAllStates(const Model& model);

/// Of every feature that is available the best of all units of these: "auc.ID" of a binary one, 0.5 or more whatever
/// its direction; "r.ID" of a number, |r|; and "units.ID", how many reach 0.9. The validation split, some 4,096 steps
/// of it.
Result<std::vector<LensNumber>> bestScores(const LensSubject& subject);

} // namespace unroll::lenses::tracks
