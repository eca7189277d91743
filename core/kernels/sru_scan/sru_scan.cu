// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan_column.h"

#include "core/kernels/common/launch_scan.cuh"

namespace unroll::kernels {

UNROLL_LAUNCH_REAL_SCANS(SruScanForward);
UNROLL_LAUNCH_REAL_SCANS(SruScanBackward);

} // namespace unroll::kernels
