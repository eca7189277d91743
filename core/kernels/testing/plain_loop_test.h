// SPDX-License-Identifier: GPL-3.0-or-later
// A case of a kernel beside its definition. Included by *_test.cpp only.
#pragma once

#include "core/kernels/testing/kernel_test.h"
#include "core/kernels/testing/scan_case.h"

namespace unroll::kernels::test {

/// Whether fp32 results are within 1e-5, or twice the error of the plain loop in fp32: a sum that cancels loses digits
/// however it is done.
inline void expectCloseInFloat(const ScanCase& c, const Trial& trial, const std::vector<Named>& want)
{
    const std::vector<Named> got = byKernel(c, trial, at::kFloat);
    std::vector<Named> plain;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double error = relativeRms(got[i].tensor, want[i].tensor);
        if (error <= 1e-5)
            continue;
        if (plain.empty())
            plain = byPlainLoop(c, trial, at::kFloat);
        EXPECT_LE(error, 2 * relativeRms(plain[i].tensor, want[i].tensor)) << c.describe() << ": " << got[i].name;
    }
}

/// The fp64 plain loop, against the kernel in both types on every instruction set.
inline void expectThePlainLoop(const ScanCase& c, const Trial& trial)
{
    const std::vector<Named> want = byPlainLoop(c, trial, at::kDouble);
    for (const std::string& target : cpuTargets()) {
        const ScopedCpuTarget scope(target);
        expectClose(byKernel(c, trial, at::kDouble), want, at::kDouble, c.describe());
        expectCloseInFloat(c, trial, want);
    }
}

} // namespace unroll::kernels::test
