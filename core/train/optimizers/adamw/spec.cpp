// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/optimizers/adam/moments.h"

namespace unroll::optimizers::adamw {

OptimizerSpec spec()
{
    return withMoments("adamw", "Adam with decoupled weight decay.");
}

} // namespace unroll::optimizers::adamw
