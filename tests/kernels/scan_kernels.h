// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/common/scan_case.h"

#include <ostream>

namespace unroll::kernels::test {

/// Every scan: what scan_test.cpp and the accuracy table go through.
const std::vector<ScanKernel>& scanKernels();

/// How GoogleTest names it.
inline void PrintTo(const ScanKernel& kernel, std::ostream* out)
{
    *out << kernel.name;
}

} // namespace unroll::kernels::test
