// SPDX-License-Identifier: GPL-3.0-or-later
// The launchers of the scans whose columns are walked: one line each, in all types of their CPU half and in bf16.
#include "core/kernels/cuda/launch_scan.cuh"
#include "core/kernels/delta_scan/delta_scan_column.h"
#include "core/kernels/diag_scan/diag_scan_column.h"
#include "core/kernels/gated_scan/gated_scan_column.h"
#include "core/kernels/outer_scan/outer_scan_column.h"
#include "core/kernels/sru_scan/sru_scan_column.h"

namespace unroll::kernels {

UNROLL_LAUNCH_SCANS(DeltaScan);
UNROLL_LAUNCH_SCANS(DiagScan);
UNROLL_LAUNCH_SCANS(GatedScan);
UNROLL_LAUNCH_SCANS(OuterScan);
UNROLL_LAUNCH_SCANS(SruScan);

} // namespace unroll::kernels
