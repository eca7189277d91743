// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/optimizers/adam/moments.h"

namespace unroll::optimizers::adam {

OptimizerSpec spec()
{
    return withMoments("adam", "Adam; weight decay is added to the gradient (L2).");
}

} // namespace unroll::optimizers::adam
