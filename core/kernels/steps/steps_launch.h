// SPDX-License-Identifier: GPL-3.0-or-later
// Which way the steps of a recurrence with a matrix go on a GPU: chosen here, on the CPU, from sizes alone. No torch.
#pragma once

#include "core/kernels/scan/rows.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace unroll::kernels {

inline constexpr int kPersistentUnits = 16;     ///< of a block
inline constexpr int kPersistentSequences = 32; ///< of a tile

enum class StepsWay {
    Products,   ///< torch multiplies, step by step, and a kernel does what is between (steps_by_products.h)
    Persistent, ///< all steps in one launch, the matrix in shared memory (persistent_rnn.h)
};

enum class StepsWish { Auto, Products, Persistent };

/// "auto", "products" or "persistent". Throws std::invalid_argument that says so.
StepsWish stepsWishNamed(std::string_view word);

/// What the caller wants: that of the last ScopedStepsWish, else what the environment variable UNROLL_STEPS_WAY named
/// when first asked, else Auto. For tests and measurements; not while kernels are started on other threads.
StepsWish stepsWish();

class ScopedStepsWish {
public:
    explicit ScopedStepsWish(StepsWish wish);
    ~ScopedStepsWish();
    ScopedStepsWish(const ScopedStepsWish&) = delete;
    ScopedStepsWish& operator=(const ScopedStepsWish&) = delete;

private:
    StepsWish m_before;
};

struct StepsSizes {
    std::int64_t steps = 0, batch = 0, width = 0;
};

/// A block for each slice of units and each group of sequences.
struct StepsLaunch {
    StepsWay way = StepsWay::Products;
    std::int64_t slices = 0;
    std::int64_t groups = 0;
    std::int64_t tiles = 0; ///< of 32 sequences, that a group has at most

    std::int64_t blocks() const { return slices * groups; }
};

/// Tiles that a block may have to take one after the other at each step for one launch to pay. Measured on an H200
/// (docs/benchmarks/gpu-h200.md): with one it takes 0.05 to 0.9 times as long, with two 0.5 to 1.3 times, with four 0.9
/// to 1.5 times.
inline constexpr std::int64_t kTilesThatPay = 2;

UNROLL_HOST_DEVICE inline std::int64_t tilesOf(std::int64_t batch)
{
    return (batch + kPersistentSequences - 1) / kPersistentSequences;
}

/// `resident`: blocks that the GPU holds at once, 0 where one does not fit. Persistent where all slices are among them,
/// steps are more than one and tiles few; a wish that can be had goes first.
StepsLaunch chooseSteps(const StepsSizes& sizes, std::int64_t resident, StepsWish wish);

/// "by products" or "in one launch of 64 blocks": what a profile says of the launch.
std::string describe(const StepsLaunch& launch);

} // namespace unroll::kernels
