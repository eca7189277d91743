// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/sru_scan/sru_scan_params.h"

namespace unroll::kernels {

/// One pass over all steps of some columns, on the calling thread. Different threads may take different columns of the same arrays.
void sruScanForwardCpu(const SruScanForward<float, float>& scan, ColumnRange columns);
void sruScanForwardCpu(const SruScanForward<double, double>& scan, ColumnRange columns);
void sruScanBackwardCpu(const SruScanBackward<float, float>& scan, ColumnRange columns);
void sruScanBackwardCpu(const SruScanBackward<double, double>& scan, ColumnRange columns);

} // namespace unroll::kernels
