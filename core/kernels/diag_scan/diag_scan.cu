// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/launch_scan.cuh"
#include "core/kernels/diag_scan/diag_scan_column.h"

namespace unroll::kernels {

using ComplexFloat = ComplexPair<float>;
using ComplexDouble = ComplexPair<double>;

UNROLL_LAUNCH_REAL_SCANS(DiagScanForward);
UNROLL_LAUNCH_SCAN(DiagScanForward, ComplexFloat, ComplexFloat);
UNROLL_LAUNCH_SCAN(DiagScanForward, ComplexDouble, ComplexDouble);
UNROLL_LAUNCH_REAL_SCANS(DiagScanBackward);
UNROLL_LAUNCH_SCAN(DiagScanBackward, ComplexFloat, ComplexFloat);
UNROLL_LAUNCH_SCAN(DiagScanBackward, ComplexDouble, ComplexDouble);

} // namespace unroll::kernels
