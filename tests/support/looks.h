// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/forecast/forecast.h"
#include "core/lens/state/state.h"
#include "core/session/snapshot.h"

#include <memory>
#include <vector>

namespace unroll::testing {

/// The State of each of these signals.
inline std::vector<LensQuery> statesOf(const std::vector<WatchedSignal>& watched)
{
    std::vector<LensQuery> queries;
    for (const WatchedSignal& each : watched)
        queries.push_back(stateQuery(each));
    return queries;
}

/// All that the frames of a State and of the forecast show in a snapshot, as the one snapshot they were made from;
/// null: they show nothing.
inline std::shared_ptr<const ProbeFrame> lookIn(const Snapshot& snapshot)
{
    std::shared_ptr<ProbeFrame> all;
    const auto shown = [&all](std::int64_t step) -> ProbeFrame& {
        if (!all)
            all = std::make_shared<ProbeFrame>();
        all->step = step;
        return *all;
    };
    for (const auto& frame : snapshot.frames) {
        if (const auto look = stateLook(frame)) {
            shown(frame->step).characters = look->characters;
            all->signalFrames.push_back(look->signalFrames.front());
        }
        if (const auto forecast = dataOf<ForecastData>(frame))
            shown(frame->step).forecasts = forecast->columns;
    }
    return all;
}

} // namespace unroll::testing
