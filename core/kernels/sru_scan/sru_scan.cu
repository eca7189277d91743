// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan_cuda.h"

#include "core/kernels/common/walk_columns.cuh"
#include "core/kernels/sru_scan/sru_scan_column.h"

namespace unroll::kernels {

cudaError_t sruScanForwardCuda(const SruScanForward<float, float>& scan, cudaStream_t stream)
{
    return launchColumns<SruScanForwardColumn<float, float>>(scan, stream);
}

cudaError_t sruScanForwardCuda(const SruScanForward<double, double>& scan, cudaStream_t stream)
{
    return launchColumns<SruScanForwardColumn<double, double>>(scan, stream);
}

cudaError_t sruScanForwardCuda(const SruScanForward<__nv_bfloat16, float>& scan, cudaStream_t stream)
{
    return launchColumns<SruScanForwardColumn<__nv_bfloat16, float>>(scan, stream);
}

cudaError_t sruScanBackwardCuda(const SruScanBackward<float, float>& scan, cudaStream_t stream)
{
    return launchColumns<SruScanBackwardColumn<float, float>>(scan, stream);
}

cudaError_t sruScanBackwardCuda(const SruScanBackward<double, double>& scan, cudaStream_t stream)
{
    return launchColumns<SruScanBackwardColumn<double, double>>(scan, stream);
}

cudaError_t sruScanBackwardCuda(const SruScanBackward<__nv_bfloat16, float>& scan, cudaStream_t stream)
{
    return launchColumns<SruScanBackwardColumn<__nv_bfloat16, float>>(scan, stream);
}

} // namespace unroll::kernels
