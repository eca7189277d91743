// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the gated_scan ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/gated_scan/gated_scan_cuda.h"

#include "core/kernels/common/cuda_dispatch.h"
#include "core/kernels/gated_scan/gated_scan_tensors.h"

#include <torch/library.h>

namespace unroll::kernels {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

GatedScanOutputs forwardCuda(at::TensorList gates, const MaybeTensor& initial, const MaybeTensor& mask,
                             std::string_view candidate, bool outputGate, bool reverse)
{
    const GatedScanCall call("gated_scan", gates, initial, mask, candidate, outputGate, reverse);
    const c10::cuda::CUDAGuard device(call.kind.device);
    const GatedScanOutputs out = emptyOutputs(call);
    onCuda(call.kind, [&]<typename Io, typename State>(CudaTypes<Io, State>, cudaStream_t stream) {
        return gatedScanForwardCuda(forwardParams<Io, State>(call, out), stream);
    });
    return out;
}

GatedScanGradients backwardCuda(at::TensorList gates, const MaybeTensor& initial, const MaybeTensor& mask,
                                const Tensor& h, const MaybeTensor& gradU, const MaybeTensor& gradH,
                                const MaybeTensor& gradLast, std::string_view candidate, bool outputGate, bool reverse)
{
    const GatedScanCall call("gated_scan_backward", gates, initial, mask, candidate, outputGate, reverse);
    const c10::cuda::CUDAGuard device(call.kind.device);
    const Tensor states = checkedStates(call, h);
    const GatedScanGradientsIn in(call, gradU, gradH, gradLast);
    const GatedScanGradients out = emptyGradients(call);
    onCuda(call.kind, [&]<typename Io, typename State>(CudaTypes<Io, State>, cudaStream_t stream) {
        return gatedScanBackwardCuda(backwardParams<Io, State>(call, states, in, out), stream);
    });
    return out;
}

} // namespace

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("gated_scan", &forwardCuda);
    m.impl("gated_scan_backward", &backwardCuda);
}

} // namespace unroll::kernels
