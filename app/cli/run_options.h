// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/inspection.h"

#include <string>

namespace CLI {
class App;
}

namespace unroll::cli {

/// Which run is looked at, and how.
struct RunOptions {
    std::string run;
    InspectionOptions inspection;
    bool json = false;
};

/// RUN, --data, --checkpoint, --device, --threads, --json.
void addRunOptions(CLI::App& verb, RunOptions& options);

} // namespace unroll::cli
