// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/optimizer_spec.h"

namespace unroll::optimizers::sgd {

OptimizerSpec spec()
{
    return {.id = "sgd",
            .summary = "Stochastic gradient descent, with momentum if set.",
            .settings = {weightDecaySetting(), realSetting("momentum", 0, 0, 0.999999, "SGD: momentum.")},
            .slots = {"first"}};
}

} // namespace unroll::optimizers::sgd
