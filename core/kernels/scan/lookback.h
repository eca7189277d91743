// SPDX-License-Identifier: GPL-3.0-or-later
// Decoupled lookback: what the tiles of a chunked scan hand from one chunk of time to the next, in global memory. Host
// code here is for the tests, which run tiles on one thread.
//
// A tile is one chunk of one group of columns. Blocks draw their tiles from a ticket, counted up by the only atomic
// there is, chunk after chunk: the tile before one in time has a lower number, so its block runs already or has run,
// and waiting for it ends. Each column's value has its own word: the thread that wrote the value sets it with a
// release, the thread that reads the value waits for it with an acquire. What is handed on and in which order it is
// summed does not depend on time, so the same bits come out every time.
#pragma once

#include "core/kernels/scan/rows.h"
#include "core/kernels/scan/scan_launch.h"

#include <cstddef>

#ifdef __CUDACC__
#include <cuda/atomic>
#endif

namespace unroll::kernels {

/// A slot for each column of each chunk, of `count` numbers, written once.
template <typename State>
struct Lookback {
    std::uint32_t* given = nullptr; ///< (chunks, columns), zeros at first
    State* values = nullptr;        ///< (chunks, columns, count)
    std::int64_t columns = 0;
    std::int64_t count = 1;

    UNROLL_HOST_DEVICE State* slot(std::int64_t chunk, std::int64_t column) const
    {
        return values + (chunk * columns + column) * count;
    }
    /// After the slot was written, by the same thread.
    UNROLL_HOST_DEVICE void publish(std::int64_t chunk, std::int64_t column) const
    {
#ifdef __CUDA_ARCH__
        word(chunk, column).store(1, cuda::memory_order_release);
#else
        given[chunk * columns + column] = 1;
#endif
    }
    /// Waits until the slot was published; it may then be read by the same thread.
    UNROLL_HOST_DEVICE void await(std::int64_t chunk, std::int64_t column) const
    {
#ifdef __CUDA_ARCH__
        while (word(chunk, column).load(cuda::memory_order_acquire) == 0) {}
#else
        (void)chunk, (void)column; // tests ask published() before
#endif
    }
    bool published(std::int64_t chunk, std::int64_t column) const
    {
        return given[chunk * columns + column] != 0;
    }

private:
#ifdef __CUDACC__
    __device__ cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> word(std::int64_t chunk,
                                                                               std::int64_t column) const
    {
        return cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>(given[chunk * columns + column]);
    }
#endif
};

/// Where things lie in the memory that a chunked scan needs besides its arrays. Its first zeroedBytes must be zeros
/// before each launch.
struct ChunkWorkspace {
    std::size_t zeroedBytes = 0;
    std::size_t bytes = 0;

    static constexpr std::size_t alignment = 16;

    /// `sets` lookbacks with slots of so many bytes.
    static ChunkWorkspace of(std::int64_t chunks, std::int64_t columns, int sets, std::size_t slotBytes)
    {
        const auto slots = static_cast<std::size_t>(chunks * columns * sets);
        const std::size_t words = (slots * sizeof(std::uint32_t) + alignment - 1) / alignment * alignment;
        return {alignment + words, alignment + words + slots * slotBytes};
    }

    unsigned* ticket(void* memory) const { return static_cast<unsigned*>(memory); }

    template <typename State>
    Lookback<State> lookback(void* memory, int set, std::int64_t chunks, std::int64_t columns,
                             std::int64_t count = 1) const
    {
        auto* bytesOf = static_cast<std::byte*>(memory);
        auto* words = reinterpret_cast<std::uint32_t*>(bytesOf + alignment);
        auto* values = reinterpret_cast<State*>(bytesOf + zeroedBytes);
        return {words + set * chunks * columns, values + set * chunks * columns * count, columns, count};
    }
};

/// The tile that a ticket stands for: all groups of a chunk come before the next chunk.
struct ChunkTile {
    std::int64_t chunk = 0;
    std::int64_t group = 0;

    UNROLL_HOST_DEVICE static ChunkTile of(std::int64_t ticket, std::int64_t groups)
    {
        return {ticket / groups, ticket % groups};
    }
};

} // namespace unroll::kernels
