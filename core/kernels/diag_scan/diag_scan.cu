// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan_cuda.h"

#include "core/kernels/common/walk_columns.cuh"
#include "core/kernels/diag_scan/diag_scan_column.h"

namespace unroll::kernels {

template <typename Io, typename State>
cudaError_t diagScanForwardCuda(const DiagScanForward<Io, State>& scan, cudaStream_t stream)
{
    return launchColumns<DiagScanForwardColumn<Io, State>>(scan, stream);
}

template <typename Io, typename State>
cudaError_t diagScanBackwardCuda(const DiagScanBackward<Io, State>& scan, cudaStream_t stream)
{
    return launchColumns<DiagScanBackwardColumn<Io, State>>(scan, stream);
}

template cudaError_t diagScanForwardCuda(const DiagScanForward<float, float>&, cudaStream_t);
template cudaError_t diagScanForwardCuda(const DiagScanForward<double, double>&, cudaStream_t);
template cudaError_t diagScanForwardCuda(const DiagScanForward<__nv_bfloat16, float>&, cudaStream_t);
template cudaError_t diagScanForwardCuda(const DiagScanForward<ComplexPair<float>, ComplexPair<float>>&, cudaStream_t);
template cudaError_t diagScanForwardCuda(const DiagScanForward<ComplexPair<double>, ComplexPair<double>>&,
                                         cudaStream_t);
template cudaError_t diagScanBackwardCuda(const DiagScanBackward<float, float>&, cudaStream_t);
template cudaError_t diagScanBackwardCuda(const DiagScanBackward<double, double>&, cudaStream_t);
template cudaError_t diagScanBackwardCuda(const DiagScanBackward<__nv_bfloat16, float>&, cudaStream_t);
template cudaError_t diagScanBackwardCuda(const DiagScanBackward<ComplexPair<float>, ComplexPair<float>>&,
                                          cudaStream_t);
template cudaError_t diagScanBackwardCuda(const DiagScanBackward<ComplexPair<double>, ComplexPair<double>>&,
                                          cudaStream_t);

} // namespace unroll::kernels
