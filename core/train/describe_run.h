// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/environment.h"

#include <cstdint>
#include <string>

namespace unroll {

std::string unrollVersion(); ///< "0.1.0"
std::string torchVersion();  ///< of the torch that this was built against

/// Where a run is computed, as resolved.
struct Machine {
    std::string device;
    std::int64_t threads = 0;
    std::string products;
};

/// The environment of a run that starts now.
RunEnvironment describeRun(const Dataset& data, Machine machine, std::uint64_t seed);

} // namespace unroll
