// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/diag_scan/diag_scan_params.h"

namespace unroll::kernels {

using DiagScanPass = CpuPass<DiagScanForward, DiagScanBackward, float, double, ComplexPair<float>, ComplexPair<double>>;

/// One pass over all steps of some columns, on the calling thread. Different threads may take different columns of the same arrays.
void scanOnCpu(const DiagScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
