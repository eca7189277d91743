// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/common/rows.h"

#include <cstdint>

namespace unroll::kernels {

/// (rows, width) arrays of real and imaginary parts, and (rows, width, 2) of both in turn; all contiguous.
template <typename T>
struct PairedRows {
    std::int64_t rows = 0, width = 0;
    const T* scale = nullptr; ///< (width); nullptr: 1
};

/// On the calling thread, some columns of all rows. The scale is for joining alone.
void joinOnCpu(const PairedRows<float>& p, ColumnRange columns, const float* re, const float* im, float* pairs);
void joinOnCpu(const PairedRows<double>& p, ColumnRange columns, const double* re, const double* im, double* pairs);

void splitOnCpu(const PairedRows<float>& p, ColumnRange columns, const float* pairs, float* re, float* im);
void splitOnCpu(const PairedRows<double>& p, ColumnRange columns, const double* pairs, double* re, double* im);

/// What goes into a join's gradients, and they: dScale[i] = sum over the rows of dPairs times the parts.
template <typename T>
struct JoinedGradients {
    const T *dPairs = nullptr, *re = nullptr, *im = nullptr;
    T *dRe = nullptr, *dIm = nullptr, *dScale = nullptr;
};

void joinBackwardOnCpu(const PairedRows<float>& p, ColumnRange columns, const JoinedGradients<float>& gradients);
void joinBackwardOnCpu(const PairedRows<double>& p, ColumnRange columns, const JoinedGradients<double>& gradients);

} // namespace unroll::kernels
