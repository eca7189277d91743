// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/testing/scan_case.h"

namespace unroll::kernels::test {

// Each kernel and its definition, in its <stem>_case.cpp: for tests and the accuracy table.
ScanKernel cellStepsKernel();
ScanKernel cfcStepsKernel();
ScanKernel deltaScanKernel();
ScanKernel diagScanKernel();
ScanKernel gatedScanKernel();
ScanKernel gruStepsKernel();
ScanKernel matrixScanKernel();
ScanKernel outerScanKernel();
ScanKernel rnnStepsKernel();
ScanKernel sruScanKernel();

} // namespace unroll::kernels::test
