// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/model/builders.h"
#include "core/remote/channel.h"

#include <functional>
#include <memory>

namespace unroll {

/// What an engine needs of its program.
struct EngineSetup {
    const BlockRegistry& registry;
    const Builders& builders;
    std::function<bool()> interrupted = [] { return false; }; ///< the system wants the process to end
    /// A run that rests (paused, or never started) without a viewer is saved and ends after so many seconds.
    double restSeconds = 3600;
};

/// A process that trains one run for viewers that come and go: the first one, which begins it (a message "begin", or
/// "open" for a run that has ended), and those that attach later. Returns once the run has ended and nobody looks on,
/// or it was told to end; the run is saved then. False: there was nothing to begin.
bool serveEngine(std::unique_ptr<Channel> first, const EngineSetup& setup);

} // namespace unroll
