// SPDX-License-Identifier: GPL-3.0-or-later
// How a block of a GPU goes through some steps of some matrices. Row i of h_t depends on row i of h_{t-1} and all of
// m_t alone, so a thread has a row; the matrices m of the steps lie in shared memory, read from the device's once.
// Backward, the gradient c_t that arrives at each state goes the same way, and h_{t-1}^T c_t, which joins rows, is
// taken from shared memory after it, so each pass is one launch.
//
// By columns a block takes its matrices through all steps. In chunks (lookback.h) a block has one chunk of steps in
// `segments` runs: every run's product is taken at once, then the state before each run is known, then all runs are
// walked.
#pragma once

#include "core/kernels/matrix_scan/matrix_row.h"
#include "core/kernels/matrix_scan/matrix_scan_params.h"
#include "core/kernels/scan/lookback.h"

namespace unroll::kernels {

template <class Scan>
concept MatrixPass = requires(const Scan& scan)
{
    scan.size;
};

/// What a block holds.
struct MatrixTile {
    int size = 1;     ///< n
    int matrices = 1; ///< side by side, as many as have 32 rows together
    int segments = 1; ///< runs of steps that go at once
    int runSteps = 1;
    std::size_t sharedNumbers = 0;

    UNROLL_HOST_DEVICE int rows() const { return matrices * size; }
    UNROLL_HOST_DEVICE int steps() const { return segments * runSteps; }
    int threads() const { return rows() * segments; }
    std::int64_t groups(std::int64_t allMatrices) const { return (allMatrices + matrices - 1) / matrices; }

    /// Shared memory is split among several blocks of a multiprocessor: by columns, where blocks are small, among more.
    static MatrixTile of(std::int64_t n, ScanWay way, std::size_t numberBytes)
    {
        MatrixTile tile;
        tile.size = static_cast<int>(n);
        tile.matrices = n < 32 ? static_cast<int>(32 / n) : 1;
        tile.segments = way == ScanWay::Chunks ? 4 : 1;
        const std::size_t area = static_cast<std::size_t>(tile.matrices * MatrixArea<float>::numbers(tile.size));
        const std::size_t kept = area * static_cast<std::size_t>(way == ScanWay::Chunks ? 2 * tile.segments + 2 : 1);
        const std::size_t budget = (way == ScanWay::Chunks ? 64u : 16u) * 1024u / numberBytes;
        const std::size_t fit =
            budget > kept ? (budget - kept) / (2 * area * static_cast<std::size_t>(tile.segments)) : 0;
        tile.runSteps = static_cast<int>(fit < 1 ? 1 : fit > 16 ? 16 : fit);
        tile.sharedNumbers = kept + 2 * area * static_cast<std::size_t>(tile.steps());
        return tile;
    }

    /// The most shared numbers of a tile of any size up to `size`.
    static std::size_t mostNumbers(std::int64_t size, ScanWay way, std::size_t numberBytes)
    {
        std::size_t most = 0;
        for (std::int64_t n = 1; n <= size; ++n)
            if (const std::size_t numbers = of(n, way, numberBytes).sharedNumbers; numbers > most)
                most = numbers;
        return most;
    }
};

/// A block's shared memory: for each matrix of the tile...
template <typename State>
struct MatrixShared {
    MatrixArea<State> m;       ///< ...of each step: m; backward, its gradient in the end
    MatrixArea<State> arrived; ///< ...of each step: h; backward, the gradient arriving at h
    MatrixArea<State> before;  ///< ...the state (or its gradient) before the steps
    MatrixArea<State> whole;   ///< ...the product over the chunk; this and the next two in chunks only
    MatrixArea<State> factors; ///< ...of each segment
    MatrixArea<State> offsets; ///< ...of each segment: what is added to the state's gradient

    UNROLL_HOST_DEVICE MatrixShared(const MatrixTile& tile, State* memory)
    {
        const int area = tile.matrices * MatrixArea<State>::numbers(tile.size);
        const auto next = [&](int count) {
            State* here = memory;
            memory += count * area;
            return MatrixArea<State>{here, tile.size};
        };
        m = next(tile.steps());
        arrived = next(tile.steps());
        before = next(1);
        whole = next(1);
        factors = next(tile.segments);
        offsets = next(tile.segments);
    }
};

/// What a launch is given besides its parameters. In chunks: their number, the ticket, and the rows handed on.
template <typename State>
struct MatrixPlan {
    MatrixTile tile;
    std::int64_t groups = 0;
    std::int64_t chunks = 0;
    unsigned* ticket = nullptr;
    Lookback<State> rows;
};

template <MatrixPass Scan>
ScanSizes sizesForLaunch(const Scan& scan)
{
    const bool chunkable = scan.size >= 1 && scan.size <= kMaxChunkedMatrix;
    const auto tile = MatrixTile::of(chunkable ? scan.size : 1, ScanWay::Chunks, sizeof(typename Scan::StateType));
    return {scan.steps, scan.batch * scan.width, chunkable ? tile.steps() : 0, kMatrixRowsAMultiprocessor};
}

template <MatrixPass Scan>
ChunkWorkspace matrixWorkspace(const Scan& scan, const ScanLaunch& launch)
{
    const std::size_t rowBytes = static_cast<std::size_t>(scan.size) * sizeof(typename Scan::StateType);
    return ChunkWorkspace::of(launch.chunks, scan.batch * scan.width, 1, rowBytes);
}

template <MatrixPass Scan>
std::size_t workspaceBytes(const Scan& scan, const ScanLaunch& launch)
{
    return launch.way == ScanWay::Chunks ? matrixWorkspace(scan, launch).bytes : 0;
}

template <MatrixPass Scan>
auto matrixPlan(const Scan& scan, const ScanLaunch& launch, void* workspace)
{
    using State = typename Scan::StateType;
    MatrixPlan<State> plan;
    plan.tile = MatrixTile::of(scan.size, launch.way, sizeof(State));
    plan.groups = plan.tile.groups(scan.batch * scan.width / scan.size);
    if (launch.way == ScanWay::Chunks) {
        const ChunkWorkspace space = matrixWorkspace(scan, launch);
        plan.chunks = launch.chunks;
        plan.ticket = space.ticket(workspace);
        plan.rows = space.lookback<State>(workspace, 0, launch.chunks, scan.batch * scan.width, scan.size);
    }
    return plan;
}

} // namespace unroll::kernels
