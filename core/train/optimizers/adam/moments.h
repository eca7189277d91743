// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/optimizer_spec.h"

#include <string>
#include <vector>

namespace unroll::optimizers {

/// What Adam and those after it have in common: settings and slots of Kingma & Ba 2015, algorithm 1.
inline OptimizerSpec withMoments(const char* id, const char* summary)
{
    return {.id = id,
            .summary = summary,
            .settings = {realSetting("beta1", 0.9, 0, 0.999999,
                                     "Adam: decay rate of the first moment (mean of the gradient)."),
                         realSetting("beta2", 0.999, 0, 0.9999999,
                                     "Adam: decay rate of the second moment (mean squared gradient)."),
                         realSetting("epsilon", 1e-8, 0, 1, "Adam: added to the root of the second moment."),
                         weightDecaySetting()},
            .slots = {"first", "second"},
            .counts = true};
}

} // namespace unroll::optimizers
