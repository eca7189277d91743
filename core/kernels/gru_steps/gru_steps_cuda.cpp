// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the gru_steps ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/common/on_cuda.h"
#include "core/kernels/gru_steps/gru_steps_on.h"

#include <torch/library.h>

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("gru_steps", &unroll::kernels::gruStepsForwardOn<unroll::kernels::OnCuda>);
    m.impl("gru_steps_backward", &unroll::kernels::gruStepsBackwardOn<unroll::kernels::OnCuda>);
}
