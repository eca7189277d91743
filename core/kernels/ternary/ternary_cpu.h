// SPDX-License-Identifier: GPL-3.0-or-later
// One thread's share of what surrounds the ternary product. Different threads may take different rows of the same
// arrays.
#pragma once

#include "core/kernels/ternary/ternary_params.h"

namespace unroll::kernels {

void quantiseRowsOnCpu(const RowQuantisation& p, RowRange rows);

/// gainSums (in): the rows' share of the gradient of gain.
void normBackwardOnCpu(const NormGradient& p, RowRange rows, float* gainSums);

/// sums[row] = sum |weight| of each row.
void absoluteSumsOnCpu(const float* weight, std::int64_t in, RowRange rows, double* sums);

/// The outputs of some panels. q = clamp(round(W / scale), -1, 1).
void packPanelsOnCpu(const WeightPacking& p, RowRange panels);

/// Takes panels apart: to (groups, 4, panels, 64) holds a byte a code, for each quarter of a group, inputs 4 i + b,
/// that of output o at 4 o + b.
void spreadPanelsOnCpu(const PackedPanels& p, std::uint8_t* to);

void unpackRowsOnCpu(const WeightUnpacking& p, RowRange rows);

} // namespace unroll::kernels
