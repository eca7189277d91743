// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/optimizer_spec.h"

#include <algorithm>

namespace unroll {

const OptimizerSpec* findOptimizer(const std::string& id)
{
    const auto& all = optimizerSpecs();
    const auto found = std::find_if(all.begin(), all.end(), [&](const OptimizerSpec& each) { return each.id == id; });
    return found == all.end() ? nullptr : &*found;
}

ParamSpec realSetting(const char* name, double fallback, double least, double most, const char* help)
{
    return {.name = name,
            .type = ParamType::Real,
            .defaultValue = fallback,
            .help = help,
            .minimum = least,
            .maximum = most};
}

ParamSpec weightDecaySetting()
{
    return realSetting("weight_decay", 0.1, 0, 100,
                       "Weight decay; not applied to biases, gains and weights that a block exempts.");
}

} // namespace unroll
