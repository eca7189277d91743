// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/cpu/packed_matrix.h"
#include "core/kernels/scan/rows.h"

#include <cstdint>

namespace unroll::kernels {

/// What one pass reads.
template <typename T>
struct AttentionParts {
    Rows<const T> qkv;                      ///< (steps, batch, 3 heads features): queries, keys, values
    const T *cos = nullptr, *sin = nullptr; ///< (steps, features / 2), or absent: nothing is turned
    std::int64_t steps = 0, batch = 0, heads = 0, features = 0;
};

inline constexpr std::int64_t kBlockQueries =
    64; ///< their weights of some hundred keys, twice, fit in a second-level cache
inline constexpr std::int64_t kFeaturesTogether = 16; ///< a vector of the longest kind

constexpr std::int64_t roundedUp(std::int64_t count, std::int64_t step)
{
    return (count + step - 1) / step * step;
}

/// Numbers that the passes below need to work in: nine arrays of rows or panels for the gradient, and two of a block's
/// weights.
constexpr std::int64_t attentionScratch(std::int64_t steps, std::int64_t features)
{
    return 9 * wholePanels(steps) * roundedUp(features, kFeaturesTogether) + 2 * kBlockQueries * wholePanels(steps);
}

/// Head `head` of sequence `sequence`, on the calling thread: y (steps, batch, heads features). `scratch` begins where
/// a cache line does.
void attendOnCpu(const AttentionParts<float>& parts, std::int64_t sequence, std::int64_t head, Rows<float> y,
                 float* scratch);
void attendOnCpu(const AttentionParts<double>& parts, std::int64_t sequence, std::int64_t head, Rows<double> y,
                 double* scratch);

/// The same head's gradient for that of y: dqkv is laid out as qkv.
void attendBackwardOnCpu(const AttentionParts<float>& parts, std::int64_t sequence, std::int64_t head,
                         Rows<const float> dy, Rows<float> dqkv, float* scratch);
void attendBackwardOnCpu(const AttentionParts<double>& parts, std::int64_t sequence, std::int64_t head,
                         Rows<const double> dy, Rows<double> dqkv, double* scratch);

} // namespace unroll::kernels
