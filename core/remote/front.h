// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/remote/channel.h"
#include "core/remote/data_files.h"

#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// What the other end of a viewer's pipe needs of its program.
struct FrontSetup {
    const BlockRegistry& registry;
    std::vector<std::string> engine; ///< the program and the words that start an engine (engine.h)
    std::string version;             ///< of Unroll
    ReceivedFiles files{ReceivedFiles::usualFolder()};
    std::string runs = "runs"; ///< folder of runs whose viewer names no folder of this machine
};

/// The other end of a viewer's pipe: says who is there, lists runs, takes data files, and joins the viewer to the
/// process that trains: one that is started for a run that begins or is opened, or the one that trains a run already.
/// Where that cannot be met, the run's folder is read. Returns when the viewer or the engine has gone; a run that
/// trains goes on without its viewer.
void serveFront(std::unique_ptr<Channel> viewer, const FrontSetup& setup);

} // namespace unroll
