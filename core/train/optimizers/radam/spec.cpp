// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/optimizers/adam/moments.h"

namespace unroll::optimizers::radam {

OptimizerSpec spec()
{
    return withMoments("radam", "RAdam: Adam with rectified (damped) first steps; decoupled weight decay.");
}

} // namespace unroll::optimizers::radam
