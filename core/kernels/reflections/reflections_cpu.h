// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::kernels {

/// Matrices one behind the other, each of n rows.
template <typename T>
struct ReflectionPairs {
    const T* numbers = nullptr; ///< (count, 2 n)
    std::int64_t rows = 0;      ///< n, up to maxReflectedRows
};

/// Matrices [begin, end), on the calling thread: m (count, n, n).
void reflectOnCpu(const ReflectionPairs<float>& pairs, std::int64_t begin, std::int64_t end, float* m);
void reflectOnCpu(const ReflectionPairs<double>& pairs, std::int64_t begin, std::int64_t end, double* m);

/// The gradient of the numbers for that of the matrices, dm (count, n, n).
void reflectBackwardOnCpu(const ReflectionPairs<float>& pairs, std::int64_t begin, std::int64_t end, const float* dm,
                          float* dNumbers);
void reflectBackwardOnCpu(const ReflectionPairs<double>& pairs, std::int64_t begin, std::int64_t end, const double* dm,
                          double* dNumbers);

} // namespace unroll::kernels
