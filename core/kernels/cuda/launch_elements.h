// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/steps/step_elements.h"

#include <cuda_runtime_api.h>

namespace unroll::kernels {

/// Starts elements(sequence, unit) for every number of a state on `stream` of the current device; every pointer is
/// device memory. Elements: those that a .cu lists, in float and double. cudaErrorInvalidValue, and nothing is started,
/// where they are not complete() or too many for a grid; otherwise what the launch says. No numbers are success.
template <class Elements>
cudaError_t launchElements(const Elements& elements, cudaStream_t stream);

/// What a .cu lists.
#define UNROLL_LAUNCH_ELEMENTS(Elements)                                                                               \
    template cudaError_t launchElements(const Elements<float>&, cudaStream_t);                                         \
    template cudaError_t launchElements(const Elements<double>&, cudaStream_t)

} // namespace unroll::kernels
