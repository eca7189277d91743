// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rnn_steps/rnn_steps_elements.h"

#include "core/kernels/common/launch_elements.cuh"

namespace unroll::kernels {

UNROLL_LAUNCH_ELEMENTS(RnnForwardElements);
UNROLL_LAUNCH_ELEMENTS(RnnBackwardElements);

} // namespace unroll::kernels
