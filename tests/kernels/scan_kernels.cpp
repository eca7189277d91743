// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/kernels/scan_kernels.h"

#include "core/kernels/diag_scan/diag_scan_case.h"
#include "core/kernels/gated_scan/gated_scan_case.h"
#include "core/kernels/gru_steps/gru_steps_case.h"
#include "core/kernels/matrix_scan/matrix_scan_case.h"
#include "core/kernels/rnn_steps/rnn_steps_case.h"
#include "core/kernels/sru_scan/sru_scan_case.h"

namespace unroll::kernels::test {

const std::vector<ScanKernel>& scanKernels()
{
    static const std::vector<ScanKernel> kernels = {diagScanKernel(),   gatedScanKernel(), gruStepsKernel(),
                                                    matrixScanKernel(), rnnStepsKernel(),  sruScanKernel()};
    return kernels;
}

} // namespace unroll::kernels::test
