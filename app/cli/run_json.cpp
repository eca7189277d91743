// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_json.h"

namespace unroll::cli {

void addFigures(Json& json, const RunSummary& run)
{
    if (run.best) {
        json.add("best", *run.best);
        json.add("best_step", run.bestStep);
    }
    if (run.last)
        json.add("train/loss", *run.last);
    json.add("seconds", run.seconds);
    if (run.keptFrames > 0)
        json.add("kept_frames", run.keptFrames);
    if (run.measures.isKnown()) {
        json.add("parameters", run.measures.parameters);
        json.add("loss_unit", run.measures.lossUnit);
    }
}

} // namespace unroll::cli
