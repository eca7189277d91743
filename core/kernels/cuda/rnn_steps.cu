// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rnn_steps/rnn_steps_persistent.h"

#include "core/kernels/cuda/launch_elements.cuh"
#include "core/kernels/cuda/launch_persistent.cuh"

namespace unroll::kernels {

UNROLL_LAUNCH_ELEMENTS(RnnForwardElements);
UNROLL_LAUNCH_ELEMENTS(RnnBackwardElements);
UNROLL_LAUNCH_PERSISTENT(RnnForwardPass<float>);
UNROLL_LAUNCH_PERSISTENT(RnnForwardPass<double>);
UNROLL_LAUNCH_PERSISTENT(RnnBackwardPass<float>);
UNROLL_LAUNCH_PERSISTENT(RnnBackwardPass<double>);

} // namespace unroll::kernels
