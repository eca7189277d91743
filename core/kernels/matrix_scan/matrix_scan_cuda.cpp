// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the matrix_scan ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/matrix_scan/matrix_scan_cuda.h"

#include "core/kernels/common/cuda_dispatch.h"
#include "core/kernels/matrix_scan/matrix_scan_tensors.h"

#include <torch/library.h>

namespace unroll::kernels {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

MatrixScanOutputs forwardCuda(const Tensor& m, const MaybeTensor& initial, const MaybeTensor& mask, bool reverse)
{
    const MatrixScanCall call("matrix_scan", m, initial, mask, reverse);
    const c10::cuda::CUDAGuard device(call.kind.device);
    const MatrixScanOutputs out = emptyPair(call);
    onCuda(call.kind, [&]<typename Io, typename State>(CudaTypes<Io, State>, cudaStream_t stream) {
        return matrixScanForwardCuda(forwardParams<Io, State>(call, out), stream);
    });
    return out;
}

MatrixScanGradients backwardCuda(const Tensor& m, const MaybeTensor& initial, const MaybeTensor& mask, const Tensor& h,
                                 const MaybeTensor& gradH, const MaybeTensor& gradLast, bool reverse)
{
    const MatrixScanCall call("matrix_scan_backward", m, initial, mask, reverse);
    const c10::cuda::CUDAGuard device(call.kind.device);
    const MatrixScanBackwardIn in(call, h, gradH, gradLast);
    const MatrixScanGradients out = emptyPair(call);
    onCuda(call.kind, [&]<typename Io, typename State>(CudaTypes<Io, State>, cudaStream_t stream) {
        return matrixScanBackwardCuda(backwardParams<Io, State>(call, in, out), stream);
    });
    return out;
}

} // namespace

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("matrix_scan", &forwardCuda);
    m.impl("matrix_scan_backward", &backwardCuda);
}

} // namespace unroll::kernels
