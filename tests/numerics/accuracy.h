// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/kernels/scan_kernels.h"

namespace unroll::kernels::test {

/// How much is tried out: a subset for the tests, or what docs/numerics.md shows.
enum class Extent { Quick, Whole };

/// One output or gradient of a kernel in the call where it comes closest to its bound. Errors are relative RMS over the
/// tensor, against the plain loop in fp64.
struct AccuracyRow {
    std::string output;
    std::string call;    ///< sizes, and what was hard about its numbers
    double ours = 0;     ///< fp32 on the worst instruction set, or what a GPU makes in fp32 or bf16
    double plain = 0;    ///< the plain loop in fp32
    int calls = 0;       ///< how many were made
    double least = 1e-5; ///< what is allowed anyway; with sequences in bf16 1e-2

    double bound() const { return std::max(least, 2 * plain); }
    bool holds() const { return ours <= bound(); }
};

struct Accuracy {
    std::string kernel;
    std::vector<AccuracyRow> rows;

    bool holds() const
    {
        return std::all_of(rows.begin(), rows.end(), [](const AccuracyRow& r) { return r.holds(); });
    }
};

/// Forward and every gradient, over T from 1 to 4097, odd widths, all options of a kernel, and its extreme numbers. A
/// kernel that takes complex elements too gives two results.
std::vector<Accuracy> measure(const ScanKernel& kernel, Extent extent);

/// The same by its CUDA kernels, each way over the GPU and each type a result of its own. openDevice("cuda") goes
/// first.
std::vector<Accuracy> measureOnGpu(const ScanKernel& kernel, Extent extent);

} // namespace unroll::kernels::test
