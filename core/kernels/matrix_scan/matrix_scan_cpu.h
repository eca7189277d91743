// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/matrix_scan/matrix_scan_params.h"

namespace unroll::kernels {

/// One pass over all steps of some matrices, on the calling thread; a column is one matrix, counted batch * heads + head. Different threads
/// may take different columns of the same arrays. T is float or double.
template <typename T>
void matrixScanForwardCpu(const MatrixScanForward<T, T>& scan, ColumnRange columns);
template <typename T>
void matrixScanBackwardCpu(const MatrixScanBackward<T, T>& scan, ColumnRange columns);

} // namespace unroll::kernels
