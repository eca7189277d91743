// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/steps/persistent_rnn.h"

#include <cuda_runtime_api.h>

namespace unroll::kernels {

/// How many blocks of the pass the current device holds at once; 0 where its shared memory is too small for one, or it
/// has no cooperative launches. Pass: those that a .cu lists.
template <class Pass>
cudaError_t residentBlocks(const Pass& pass, std::int64_t* blocks);

/// Starts all steps of a pass on `stream` of the current device, a block for each slice of units and group of
/// sequences; every pointer is device memory. `words` has room for launch.blocks() words. cudaErrorInvalidValue, and
/// nothing is started, where the pass is not complete() or the launch is none that chooseSteps() gives for its sizes;
/// otherwise what the launch says, which refuses more blocks than there is room for.
template <class Pass>
cudaError_t launchPersistent(const Pass& pass, const StepsLaunch& launch, std::uint32_t* words, cudaStream_t stream);

/// What a .cu lists.
#define UNROLL_LAUNCH_PERSISTENT(...)                                                                                  \
    template cudaError_t residentBlocks(const __VA_ARGS__&, std::int64_t*);                                            \
    template cudaError_t launchPersistent(const __VA_ARGS__&, const StepsLaunch&, std::uint32_t*, cudaStream_t)

} // namespace unroll::kernels
