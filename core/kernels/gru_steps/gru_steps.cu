// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gru_steps/gru_steps_elements.h"

#include "core/kernels/common/launch_elements.cuh"

namespace unroll::kernels {

UNROLL_LAUNCH_ELEMENTS(GruResetElements);
UNROLL_LAUNCH_ELEMENTS(GruMixElements);
UNROLL_LAUNCH_ELEMENTS(GruCandidateGradients);
UNROLL_LAUNCH_ELEMENTS(GruResetGradients);

} // namespace unroll::kernels
