// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/gated_scan/gated_scan_params.h"

namespace unroll::kernels {

/// One pass over all steps of some columns, on the calling thread. Different threads may take different columns of the same arrays.
void gatedScanForwardCpu(const GatedScanForward<float, float>& scan, ColumnRange columns);
void gatedScanForwardCpu(const GatedScanForward<double, double>& scan, ColumnRange columns);
void gatedScanBackwardCpu(const GatedScanBackward<float, float>& scan, ColumnRange columns);
void gatedScanBackwardCpu(const GatedScanBackward<double, double>& scan, ColumnRange columns);

} // namespace unroll::kernels
