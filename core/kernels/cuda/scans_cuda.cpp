// SPDX-License-Identifier: GPL-3.0-or-later
// The ops of every scan on CUDA. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/cuda/matrix_scan_cuda.h"
#include "core/kernels/cuda/on_cuda.h"
#include "core/kernels/delta_scan/delta_scan_column.h"
#include "core/kernels/delta_scan/delta_scan_op.h"
#include "core/kernels/diag_scan/diag_scan_column.h"
#include "core/kernels/diag_scan/diag_scan_op.h"
#include "core/kernels/gated_scan/gated_scan_column.h"
#include "core/kernels/gated_scan/gated_scan_op.h"
#include "core/kernels/matrix_scan/matrix_scan_op.h"
#include "core/kernels/outer_scan/outer_scan_column.h"
#include "core/kernels/outer_scan/outer_scan_op.h"
#include "core/kernels/sru_scan/sru_scan_column.h"
#include "core/kernels/sru_scan/sru_scan_op.h"

#include <torch/library.h>

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    using namespace unroll::kernels;
    registerScanOn<DeltaScanSpec, OnCuda>(m);
    registerScanOn<DiagScanSpec, OnCuda>(m);
    registerScanOn<GatedScanSpec, OnCuda>(m);
    registerScanOn<MatrixScanSpec, OnCuda>(m);
    registerScanOn<OuterScanSpec, OnCuda>(m);
    registerScanOn<SruScanSpec, OnCuda>(m);
}
