// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::kernels {

/// out[i] = sum over b of partial[b * stride + i], i < count. Summed in double in the order of b, whatever the number
/// of threads: the same bits every time. Weight gradients are kept a sequence each by the scans and joined here.
void sumOverBatch(const float* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, float* out);
void sumOverBatch(const double* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, double* out);

} // namespace unroll::kernels
