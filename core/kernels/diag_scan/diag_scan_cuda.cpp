// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the diag_scan ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/common/on_cuda.h"
#include "core/kernels/diag_scan/diag_scan_column.h"
#include "core/kernels/diag_scan/diag_scan_tensors.h"

#include <torch/library.h>

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("diag_scan", &unroll::kernels::diagScanForward<unroll::kernels::OnCuda>);
    m.impl("diag_scan_backward", &unroll::kernels::diagScanBackward<unroll::kernels::OnCuda>);
}
