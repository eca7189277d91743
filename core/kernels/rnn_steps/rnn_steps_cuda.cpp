// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the rnn_steps ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/common/on_cuda.h"
#include "core/kernels/rnn_steps/rnn_steps_products.h"

#include <torch/library.h>

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("rnn_steps", &unroll::kernels::rnnStepsForwardByProducts<unroll::kernels::OnCuda>);
    m.impl("rnn_steps_backward", &unroll::kernels::rnnStepsBackwardByProducts<unroll::kernels::OnCuda>);
}
