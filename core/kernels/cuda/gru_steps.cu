// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gru_steps/gru_steps_resident.h"

#include "core/kernels/cuda/launch_elements.cuh"
#include "core/kernels/cuda/launch_resident.cuh"

namespace unroll::kernels {

UNROLL_LAUNCH_ELEMENTS(GruResetElements);
UNROLL_LAUNCH_ELEMENTS(GruMixElements);
UNROLL_LAUNCH_ELEMENTS(GruCandidateGradients);
UNROLL_LAUNCH_ELEMENTS(GruResetGradients);
UNROLL_LAUNCH_RESIDENT(GruForwardPass<float, true>);
UNROLL_LAUNCH_RESIDENT(GruForwardPass<double, true>);
UNROLL_LAUNCH_RESIDENT(GruForwardPass<float, false>);
UNROLL_LAUNCH_RESIDENT(GruForwardPass<double, false>);
UNROLL_LAUNCH_RESIDENT(GruBackwardPass<float, true>);
UNROLL_LAUNCH_RESIDENT(GruBackwardPass<double, true>);
UNROLL_LAUNCH_RESIDENT(GruBackwardPass<float, false>);
UNROLL_LAUNCH_RESIDENT(GruBackwardPass<double, false>);

} // namespace unroll::kernels
