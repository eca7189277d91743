// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/kernels/scan_kernels.h"

namespace unroll::kernels::test {

const std::vector<ScanKernel>& scanKernels()
{
    static const std::vector<ScanKernel> kernels = {
        cellStepsKernel(), cfcStepsKernel(),   deltaScanKernel(), diagScanKernel(), gatedScanKernel(),
        gruStepsKernel(),  matrixScanKernel(), outerScanKernel(), rnnStepsKernel(), sruScanKernel()};
    return kernels;
}

} // namespace unroll::kernels::test
