// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/sru_scan/sru_scan_params.h"

namespace unroll::kernels {

using SruScanPass = CpuPass<SruScanForward, SruScanBackward, float, double>;

/// One pass over all steps of some columns, on the calling thread. Different threads may take different columns of the same arrays.
void scanOnCpu(const SruScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
