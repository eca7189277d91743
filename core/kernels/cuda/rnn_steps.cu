// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rnn_steps/rnn_steps_resident.h"

#include "core/kernels/cuda/launch_elements.cuh"
#include "core/kernels/cuda/launch_resident.cuh"

namespace unroll::kernels {

UNROLL_LAUNCH_ELEMENTS(RnnForwardElements);
UNROLL_LAUNCH_ELEMENTS(RnnBackwardElements);
UNROLL_LAUNCH_RESIDENT(RnnForwardPass<float>);
UNROLL_LAUNCH_RESIDENT(RnnForwardPass<double>);
UNROLL_LAUNCH_RESIDENT(RnnBackwardPass<float>);
UNROLL_LAUNCH_RESIDENT(RnnBackwardPass<double>);

} // namespace unroll::kernels
