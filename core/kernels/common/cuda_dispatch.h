// SPDX-License-Identifier: GPL-3.0-or-later
// What the CUDA bridges (*_cuda.cpp) share: from the type of a call to the launcher's types, on torch's current stream.
#pragma once

#include "core/kernels/common/tensor_checks.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cuda_bf16.h>

namespace unroll::kernels {

/// Names the types of a call: of what is (T,B,d), and of states.
template <typename Io, typename State>
struct CudaTypes {};

/// Calls launch(CudaTypes<Io, State>{}, stream) with the types of the call. Throws c10::Error where the launch failed.
/// The caller holds a CUDAGuard for the call's device.
template <class Launch>
void onCuda(const CallKind& kind, const Launch& launch)
{
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
    switch (kind.io) {
    case at::kDouble: C10_CUDA_CHECK(launch(CudaTypes<double, double>{}, stream)); break;
    case at::kBFloat16: C10_CUDA_CHECK(launch(CudaTypes<__nv_bfloat16, float>{}, stream)); break;
    default: C10_CUDA_CHECK(launch(CudaTypes<float, float>{}, stream));
    }
}

} // namespace unroll::kernels
