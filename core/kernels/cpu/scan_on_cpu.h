// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a *_cpu.cpp: from what was compiled once for each CPU target to one function. Highway itself comes after
// foreach_target.h.
#pragma once

#include "core/kernels/cpu/flush_denormals.h"
#include "core/kernels/scan/rows.h"

/// Defines scanOnCpu(const Pass&, ColumnRange) by scanAny of the best target that the machine has. Stands outside all
/// namespaces, within #if HWY_ONCE.
#define UNROLL_SCAN_ON_CPU(Pass)                                                                                       \
    namespace unroll::kernels {                                                                                        \
    HWY_EXPORT(scanAny);                                                                                               \
    void scanOnCpu(const Pass& pass, ColumnRange columns)                                                              \
    {                                                                                                                  \
        const FlushDenormals flush;                                                                                    \
        HWY_DYNAMIC_DISPATCH(scanAny)(pass, columns);                                                                  \
    }                                                                                                                  \
    }
