// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the sru_scan ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/sru_scan/sru_scan_cuda.h"

#include "core/kernels/common/batch_sum_cuda.h"
#include "core/kernels/common/cuda_dispatch.h"
#include "core/kernels/sru_scan/sru_scan_tensors.h"

#include <torch/library.h>

namespace unroll::kernels {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

SruScanOutputs forwardCuda(const Tensor& u, const Tensor& weightC, const Tensor& bias, const MaybeTensor& x,
                           const MaybeTensor& initial, const MaybeTensor& mask, const MaybeTensor& dropout,
                           double scaleX, std::string_view activation, bool reverse)
{
    const SruScanCall call("sru_scan", {u, weightC, bias, x, initial, mask, dropout}, {scaleX, activation, reverse});
    const c10::cuda::CUDAGuard device(call.kind.device);
    const SruScanOutputs out = emptyOutputs(call);
    onCuda(call.kind, [&]<typename Io, typename State>(CudaTypes<Io, State>, cudaStream_t stream) {
        return sruScanForwardCuda(forwardParams<Io, State>(call, out), stream);
    });
    return out;
}

/// The scan leaves the weights' gradients a sequence each; two sums over the batch follow on the same stream.
template <typename Io, typename State>
cudaError_t launchBackward(const SruScanBackward<Io, State>& scan, State* gradWeightC, State* gradBias,
                           cudaStream_t stream)
{
    if (const cudaError_t error = sruScanBackwardCuda(scan, stream); error != cudaSuccess)
        return error;
    const std::int64_t half = 2 * scan.width;
    if (const cudaError_t error = sumOverBatchCuda(scan.gradWeights, scan.batch, 2 * half, half, gradWeightC, stream);
        error != cudaSuccess)
        return error;
    return sumOverBatchCuda(scan.gradWeights + half, scan.batch, 2 * half, half, gradBias, stream);
}

SruScanGradients backwardCuda(const Tensor& u, const Tensor& weightC, const Tensor& bias, const MaybeTensor& x,
                              const MaybeTensor& initial, const MaybeTensor& mask, const MaybeTensor& dropout,
                              const Tensor& c, const MaybeTensor& gradH, const MaybeTensor& gradC,
                              const MaybeTensor& gradLast, double scaleX, std::string_view activation, bool reverse)
{
    const SruScanCall call("sru_scan_backward", {u, weightC, bias, x, initial, mask, dropout},
                           {scaleX, activation, reverse});
    const c10::cuda::CUDAGuard device(call.kind.device);
    const Tensor states = checkedStates(call, c);
    const SruScanGradientsIn in(call, gradH, gradC, gradLast);
    const SruScanGradients out = emptyGradients(call);
    const Tensor partial = emptyPartialSums(call);
    onCuda(call.kind, [&]<typename Io, typename State>(CudaTypes<Io, State>, cudaStream_t stream) {
        return launchBackward(backwardParams<Io, State>(call, states, in, out, partial),
                              std::get<1>(out).template mutable_data_ptr<State>(),
                              std::get<2>(out).template mutable_data_ptr<State>(), stream);
    });
    return out;
}

} // namespace

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("sru_scan", &forwardCuda);
    m.impl("sru_scan_backward", &backwardCuda);
}

} // namespace unroll::kernels
