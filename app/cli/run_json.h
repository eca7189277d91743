// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/runs/run_summary.h"

namespace unroll::cli {

/// What a run's folder holds in figures, with the names of the last line of `train --json`: best and its step, newest
/// training loss, unit, parameters, seconds, frames of lenses. What is not known is left out.
void addFigures(Json& json, const RunSummary& run);

} // namespace unroll::cli
