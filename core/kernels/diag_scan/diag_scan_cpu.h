// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/diag_scan/diag_scan_params.h"

namespace unroll::kernels {

/// One pass over all steps of some columns, on the calling thread. Different threads may take different columns of the same arrays.
/// T is float, double, or a ComplexPair of one of them.
template <typename T>
void diagScanForwardCpu(const DiagScanForward<T, T>& scan, ColumnRange columns);
template <typename T>
void diagScanBackwardCpu(const DiagScanBackward<T, T>& scan, ColumnRange columns);

} // namespace unroll::kernels
