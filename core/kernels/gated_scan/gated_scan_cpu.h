// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/gated_scan/gated_scan_params.h"

namespace unroll::kernels {

using GatedScanPass = CpuPass<GatedScanForward, GatedScanBackward, float, double>;

/// One pass over all steps of some columns, on the calling thread. Different threads may take different columns of the same arrays.
void scanOnCpu(const GatedScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
