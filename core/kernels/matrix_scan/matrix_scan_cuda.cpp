// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the matrix_scan ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/matrix_scan/matrix_scan_cuda.h"

#include "core/kernels/common/on_cuda.h"
#include "core/kernels/matrix_scan/matrix_scan_tensors.h"

#include <torch/library.h>

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("matrix_scan", &unroll::kernels::matrixScanForward<unroll::kernels::OnCuda>);
    m.impl("matrix_scan_backward", &unroll::kernels::matrixScanBackward<unroll::kernels::OnCuda>);
}
