// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gru_steps/gru_steps_persistent.h"

#include "core/kernels/cuda/launch_elements.cuh"
#include "core/kernels/cuda/launch_persistent.cuh"

namespace unroll::kernels {

UNROLL_LAUNCH_ELEMENTS(GruResetElements);
UNROLL_LAUNCH_ELEMENTS(GruMixElements);
UNROLL_LAUNCH_ELEMENTS(GruCandidateGradients);
UNROLL_LAUNCH_ELEMENTS(GruResetGradients);
UNROLL_LAUNCH_PERSISTENT(GruForwardPass<float, true>);
UNROLL_LAUNCH_PERSISTENT(GruForwardPass<double, true>);
UNROLL_LAUNCH_PERSISTENT(GruForwardPass<float, false>);
UNROLL_LAUNCH_PERSISTENT(GruForwardPass<double, false>);
UNROLL_LAUNCH_PERSISTENT(GruBackwardPass<float, true>);
UNROLL_LAUNCH_PERSISTENT(GruBackwardPass<double, true>);
UNROLL_LAUNCH_PERSISTENT(GruBackwardPass<float, false>);
UNROLL_LAUNCH_PERSISTENT(GruBackwardPass<double, false>);

} // namespace unroll::kernels
