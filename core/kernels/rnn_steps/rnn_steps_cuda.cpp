// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the rnn_steps ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/common/on_cuda.h"
#include "core/kernels/rnn_steps/rnn_steps_on.h"

#include <torch/library.h>

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("rnn_steps", &unroll::kernels::rnnStepsForwardOn<unroll::kernels::OnCuda>);
    m.impl("rnn_steps_backward", &unroll::kernels::rnnStepsBackwardOn<unroll::kernels::OnCuda>);
}
