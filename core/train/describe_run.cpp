// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/describe_run.h"

#include "core/data/dataset.h"

#include <torch/version.h>

#include <utility>

namespace unroll {

std::string unrollVersion()
{
    return UNROLL_VERSION;
}

std::string torchVersion()
{
    return TORCH_VERSION;
}

RunEnvironment describeRun(const Dataset& data, Machine machine, std::uint64_t seed)
{
    return {unrollVersion(),
            torchVersion(),
            std::move(machine.device),
            machine.threads,
            std::move(machine.products),
            seed,
            data.describe(),
            data.contentHash(),
            data.classes(),
            data.steps(),
            classTexts(data),
            {},
            data.scales(),
            data.labels()};
}

} // namespace unroll
