// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/session.h"

#include <functional>
#include <memory>
#include <utility>

namespace unroll {

/// Makes a run of this experiment, paused at step 0. Never null. In the program a local Session, in the tests a script.
using StartRun = std::function<std::unique_ptr<Session>(const Experiment& experiment, const SessionOptions& options)>;

/// Runs that train, see startSession(), and keep what lenses say of them over training; on what `data` has open where
/// it is given. Registry and data must outlive the runs.
inline StartRun sessionRuns(const BlockRegistry& registry, const Builders& builders, DataCache* data = nullptr)
{
    return [&registry, builders, data](const Experiment& experiment, SessionOptions options) {
        options.data = data;
        options.keepsSummaries = true;
        return startSession(experiment, registry, builders, std::move(options));
    };
}

} // namespace unroll
