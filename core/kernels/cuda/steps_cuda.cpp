// SPDX-License-Identifier: GPL-3.0-or-later
// The ops of the kernels that multiply a matrix at every step, on CUDA. Part of the shared object unroll_cuda, which is
// loaded at run time.
#include "core/kernels/cuda/on_cuda.h"
#include "core/kernels/gru_steps/gru_steps_on.h"
#include "core/kernels/rnn_steps/rnn_steps_on.h"

#include <torch/library.h>

namespace unroll::kernels {

template <>
RnnStepsOutputs scanForward<RnnStepsSpec, OnCuda>(const RnnStepsOpArguments& in)
{
    return rnnStepsForwardOn<OnCuda>(in);
}

template <>
RnnStepsGradients scanBackward<RnnStepsSpec, OnCuda>(const RnnStepsBackwardArguments& in)
{
    return rnnStepsBackwardOn<OnCuda>(in);
}

} // namespace unroll::kernels

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    using namespace unroll::kernels;
    m.impl("gru_steps", &gruStepsForwardOn<OnCuda>);
    m.impl("gru_steps_backward", &gruStepsBackwardOn<OnCuda>);
    registerScanOn<RnnStepsSpec, OnCuda>(m);
}
