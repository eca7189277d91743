// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the diag_scan ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/diag_scan/diag_scan_cuda.h"

#include "core/kernels/common/batch_sum_cuda.h"
#include "core/kernels/common/cuda_dispatch.h"
#include "core/kernels/diag_scan/diag_scan_tensors.h"

#include <torch/library.h>

namespace unroll::kernels {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

/// onCuda, with complex elements too.
template <class Launch>
void onCudaRealOrComplex(const CallKind& kind, const Launch& launch)
{
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
    if (kind.io == at::kComplexFloat)
        C10_CUDA_CHECK(launch(CudaTypes<ComplexPair<float>, ComplexPair<float>>{}, stream));
    else if (kind.io == at::kComplexDouble)
        C10_CUDA_CHECK(launch(CudaTypes<ComplexPair<double>, ComplexPair<double>>{}, stream));
    else
        onCuda(kind, launch);
}

DiagScanOutputs forwardCuda(const Tensor& a, const Tensor& b, const MaybeTensor& initial, const MaybeTensor& mask,
                            bool reverse)
{
    const DiagScanCall call("diag_scan", "b", b, a, initial, mask, reverse);
    const c10::cuda::CUDAGuard device(call.kind.device);
    const DiagScanOutputs out = emptyOutputs(call);
    onCudaRealOrComplex(call.kind, [&]<typename Io, typename State>(CudaTypes<Io, State>, cudaStream_t stream) {
        return diagScanForwardCuda(forwardParams<Io, State>(call, out), stream);
    });
    return out;
}

/// The scan leaves the gradient of a constant a sequence each; a sum over the batch follows on the same stream.
template <typename Io, typename State>
cudaError_t launchBackward(const DiagScanBackward<Io, State>& scan, void* gradConstant, cudaStream_t stream)
{
    using Real = typename Parts<State>::Real;
    const cudaError_t error = diagScanBackwardCuda(scan, stream);
    if (error != cudaSuccess || gradConstant == nullptr)
        return error;
    const std::int64_t count = Parts<State>::count * scan.width;
    return sumOverBatchCuda(reinterpret_cast<const Real*>(scan.gradConstant.data), scan.batch, count, count,
                            static_cast<Real*>(gradConstant), stream);
}

DiagScanGradients backwardCuda(const Tensor& a, const MaybeTensor& initial, const MaybeTensor& mask, const Tensor& h,
                               const MaybeTensor& gradH, const MaybeTensor& gradLast, bool reverse)
{
    const DiagScanCall call("diag_scan_backward", "h", h, a, initial, mask, reverse);
    const c10::cuda::CUDAGuard device(call.kind.device);
    const DiagScanGradientsIn in(call, gradH, gradLast);
    const DiagScanGradients out = emptyGradients(call);
    const Tensor sums = emptySums(call);
    if (call.hasConstant() && call.batch == 0)
        std::get<0>(out).zero_();
    void* gradConstant = call.hasConstant() && call.batch > 0 ? std::get<0>(out).mutable_data_ptr() : nullptr;
    onCudaRealOrComplex(call.kind, [&]<typename Io, typename State>(CudaTypes<Io, State>, cudaStream_t stream) {
        return launchBackward(backwardParams<Io, State>(call, in, out, sums), gradConstant, stream);
    });
    return out;
}

} // namespace

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("diag_scan", &forwardCuda);
    m.impl("diag_scan_backward", &backwardCuda);
}

} // namespace unroll::kernels
