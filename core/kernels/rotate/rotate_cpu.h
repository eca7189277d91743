// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::kernels {

/// Rows of features: y = the pairs of x turned by the angles whose cosines and sines these are.
template <typename T>
struct RotatedRow {
    const T *x = nullptr, *cos = nullptr, *sin = nullptr; ///< 2 half, half and half numbers
    T* y = nullptr;                                       ///< 2 half
    std::int64_t half = 0;
    bool back = false; ///< by the negative angles
};

/// On the calling thread.
void rotateOnCpu(const RotatedRow<float>& row);
void rotateOnCpu(const RotatedRow<double>& row);

} // namespace unroll::kernels
