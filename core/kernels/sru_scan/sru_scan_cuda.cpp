// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the sru_scan ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/common/on_cuda.h"
#include "core/kernels/sru_scan/sru_scan_column.h"
#include "core/kernels/sru_scan/sru_scan_tensors.h"

#include <torch/library.h>

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("sru_scan", &unroll::kernels::sruScanForward<unroll::kernels::OnCuda>);
    m.impl("sru_scan_backward", &unroll::kernels::sruScanBackward<unroll::kernels::OnCuda>);
}
