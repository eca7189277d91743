// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/inspection.h"

#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace unroll::cli {

/// Which run is examined, and how.
struct RunOptions {
    std::string run;
    InspectionOptions inspection;
    bool json = false;
};

/// The run, to be examined. What is to be said of the device goes to stderr.
Result<std::unique_ptr<Inspection>> openRun(const RunOptions& options, const BlockRegistry& registry);

/// What is to be known of other data than the run's, on stderr; of its own training has spoken.
void tellDataNotes(const RunOptions& options, const Inspection& inspection);

/// RUN, --data, --checkpoint, --device, --threads, --json.
void addRunOptions(CLI::App& verb, RunOptions& options);

} // namespace unroll::cli
