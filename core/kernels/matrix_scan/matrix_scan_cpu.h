// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/matrix_scan/matrix_scan_params.h"

namespace unroll::kernels {

using MatrixScanPass = CpuPass<MatrixScanForward, MatrixScanBackward, float, double>;

/// One pass over all steps of some matrices, on the calling thread; a column is one matrix, counted batch * heads + head. Different threads
/// may take different columns of the same arrays.
void scanOnCpu(const MatrixScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
