// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the gated_scan ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/common/on_cuda.h"
#include "core/kernels/gated_scan/gated_scan_column.h"
#include "core/kernels/gated_scan/gated_scan_tensors.h"

#include <torch/library.h>

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    m.impl("gated_scan", &unroll::kernels::gatedScanForward<unroll::kernels::OnCuda>);
    m.impl("gated_scan_backward", &unroll::kernels::gatedScanBackward<unroll::kernels::OnCuda>);
}
