// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::kernels {

/// y = the pairs of x turned by the angles whose cosines and sines these are.
template <typename T>
struct RotatedHeads {
    const T* x = nullptr;                   ///< (batch, heads, steps, 2 half), features side by side
    std::int64_t strides[3]{};              ///< of x
    const T *cos = nullptr, *sin = nullptr; ///< (batch or 1, steps, half)
    std::int64_t angleStride = 0;           ///< from one sequence's to the next one's; 0: all have the same
    T* y = nullptr;                         ///< (batch, heads, steps, 2 half)
    std::int64_t heads = 0, steps = 0, half = 0;
    bool back = false; ///< by the negative angles
};

/// Rows [begin, end) of the batch * heads * steps, on the calling thread.
void rotateOnCpu(const RotatedHeads<float>& heads, std::int64_t begin, std::int64_t end);
void rotateOnCpu(const RotatedHeads<double>& heads, std::int64_t begin, std::int64_t end);

} // namespace unroll::kernels
