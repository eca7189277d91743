// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan_cuda.h"

#include "core/kernels/common/walk_columns.cuh"
#include "core/kernels/gated_scan/gated_scan_column.h"

namespace unroll::kernels {

cudaError_t gatedScanForwardCuda(const GatedScanForward<float, float>& scan, cudaStream_t stream)
{
    return launchColumns<GatedScanForwardColumn<float, float>>(scan, stream);
}

cudaError_t gatedScanForwardCuda(const GatedScanForward<double, double>& scan, cudaStream_t stream)
{
    return launchColumns<GatedScanForwardColumn<double, double>>(scan, stream);
}

cudaError_t gatedScanForwardCuda(const GatedScanForward<__nv_bfloat16, float>& scan, cudaStream_t stream)
{
    return launchColumns<GatedScanForwardColumn<__nv_bfloat16, float>>(scan, stream);
}

cudaError_t gatedScanBackwardCuda(const GatedScanBackward<float, float>& scan, cudaStream_t stream)
{
    return launchColumns<GatedScanBackwardColumn<float, float>>(scan, stream);
}

cudaError_t gatedScanBackwardCuda(const GatedScanBackward<double, double>& scan, cudaStream_t stream)
{
    return launchColumns<GatedScanBackwardColumn<double, double>>(scan, stream);
}

cudaError_t gatedScanBackwardCuda(const GatedScanBackward<__nv_bfloat16, float>& scan, cudaStream_t stream)
{
    return launchColumns<GatedScanBackwardColumn<__nv_bfloat16, float>>(scan, stream);
}

} // namespace unroll::kernels
