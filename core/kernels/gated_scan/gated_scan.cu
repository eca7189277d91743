// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan_column.h"

#include "core/kernels/common/launch_scan.cuh"

namespace unroll::kernels {

UNROLL_LAUNCH_REAL_SCANS(GatedScanForward);
UNROLL_LAUNCH_REAL_SCANS(GatedScanBackward);

} // namespace unroll::kernels
