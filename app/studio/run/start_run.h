// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/session.h"

#include <functional>
#include <memory>

namespace unroll {

/// Makes a run of this experiment, paused at step 0. Never null. In the program a local Session, in the tests a script.
using StartRun = std::function<std::unique_ptr<Session>(const Experiment& experiment, const SessionOptions& options)>;

/// Runs that train, see startSession(). The registry must outlive the function.
inline StartRun sessionRuns(const BlockRegistry& registry, const Builders& builders)
{
    return [&registry, builders](const Experiment& experiment, const SessionOptions& options) {
        return startSession(experiment, registry, builders, options);
    };
}

} // namespace unroll
