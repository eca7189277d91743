// SPDX-License-Identifier: GPL-3.0-or-later
// What a pass of persistent_rnn.h is made of: the matrix and the state of a stage, and the words by which blocks wait
// for each other.
#pragma once

#include "core/kernels/scan/scan_domain.h"
#include "core/kernels/steps/steps_launch.h"

#include <cstdint>
#include <type_traits>

#ifdef __CUDACC__
#include <cuda/atomic>
#endif

namespace unroll::kernels {

inline constexpr int kPieceDepth = 128; ///< of the product

/// Number (k, unit) of a part; k < depth. Strides in elements.
template <typename T>
struct StepMatrix {
    const T* data = nullptr;
    std::int64_t depth = 0;
    std::int64_t alongDepth = 0, alongUnits = 0, alongParts = 0;

    /// The depth in shared memory: whole fours, filled up by zeros.
    UNROLL_HOST_DEVICE int paddedDepth() const { return static_cast<int>((depth + 3) / 4 * 4); }
    UNROLL_HOST_DEVICE int pieces() const { return (paddedDepth() + kPieceDepth - 1) / kPieceDepth; }
};

/// Rows (B, depth). nullptr: zeros.
template <typename T>
struct StepState {
    const T* data = nullptr;
    std::int64_t batchStride = 0;
};

/// The rows of a step of what lies (T,B,depth), or (B,depth) with a step of 0; of an absent array, zeros. They begin
/// `offset` numbers on.
template <typename T>
UNROLL_HOST_DEVICE StepState<std::remove_const_t<T>> stepState(const Rows<T>& rows, std::int64_t step,
                                                               std::int64_t offset = 0)
{
    return {rowOrNull(rows, step, 0, offset), rows.batchStride};
}

/// The turns that each block has ended.
struct TurnWords {
    std::uint32_t* ended = nullptr; ///< (groups, slices), zeros at first
    std::int64_t slices = 0;

    /// After a barrier behind all that the block wrote.
    UNROLL_HOST_DEVICE void publish(std::int64_t group, std::int64_t slice, std::uint32_t turns) const
    {
#ifdef __CUDA_ARCH__
        word(group, slice).store(turns, cuda::memory_order_release);
#else
        ended[group * slices + slice] = turns;
#endif
    }
    /// Waits; before a barrier ahead of all that the block reads.
    UNROLL_HOST_DEVICE void await(std::int64_t group, std::int64_t slice, std::uint32_t turns) const
    {
#ifdef __CUDA_ARCH__
        while (word(group, slice).load(cuda::memory_order_acquire) < turns) {}
#else
        (void)group, (void)slice, (void)turns; // tests ask reached() before
#endif
    }
    bool reached(std::int64_t group, std::uint32_t turns) const
    {
        for (std::int64_t slice = 0; slice < slices; ++slice)
            if (ended[group * slices + slice] < turns)
                return false;
        return true;
    }

private:
#ifdef __CUDACC__
    __device__ cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> word(std::int64_t group,
                                                                               std::int64_t slice) const
    {
        return cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>(ended[group * slices + slice]);
    }
#endif
};

/// What a launch is given besides the pass.
struct PersistentPlan {
    StepsLaunch launch;
    TurnWords words;
};

} // namespace unroll::kernels
