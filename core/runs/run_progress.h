// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/runs/metrics.h"
#include "core/runs/schedule_plan.h"
#include "core/runs/stream_place.h"

#include <cstdint>
#include <optional>
#include <string>

namespace unroll {

/// What a run knows beside tensors.
struct RunProgress {
    std::int64_t step = 0;
    std::int64_t tokens = 0;
    double seconds = 0; ///< trained so far
    double peakLearningRate = 0;
    std::optional<SchedulePlan>
        plan;                ///< absent in checkpoints of earlier versions: from 0 to the steps that were set then
    double learningRate = 0; ///< of the settings when the peak was set: another one there replaces the peak
    StreamPlace streams;     ///< what the carried states belong to
    double bestValidationLoss = 0; ///< 0: none yet
    std::int64_t bestStep = 0;
    std::int64_t evaluationsSinceBest = 0;
    std::int64_t emptyUpdates = 0;    ///< that had no target and changed nothing
    std::optional<MetricRow> closing; ///< the row of this step, where the evaluation that ends the run is still to come

    bool operator==(const RunProgress&) const = default;
};

/// progress.json of a checkpoint. Errors name the member, and `path` as its place.
Json progressToJson(const RunProgress& progress);
Result<RunProgress> progressFromJson(const Json& json, const std::string& path);
Result<RunProgress> readProgress(const std::string& path);

} // namespace unroll
