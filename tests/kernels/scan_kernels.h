// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/testing/scan_kernels.h"

#include <ostream>

namespace unroll::kernels::test {

/// Every scan: what scan_test.cpp and the accuracy table go through.
const std::vector<ScanKernel>& scanKernels();

/// Whether it walks a linear recurrence, not steps that multiply a weight. On a GPU these take bf16 too.
inline bool isScan(const ScanKernel& kernel)
{
    return kernel.name.ends_with("_scan");
}

/// How GoogleTest names it.
inline void PrintTo(const ScanKernel& kernel, std::ostream* out)
{
    *out << kernel.name;
}

} // namespace unroll::kernels::test
