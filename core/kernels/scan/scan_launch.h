// SPDX-License-Identifier: GPL-3.0-or-later
// Which way a scan goes over a GPU: chosen here, on the CPU, from sizes alone. No torch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace unroll::kernels {

enum class ScanWay {
    Columns, ///< a thread walks all steps of its column (walk_columns.cuh)
    Chunks,  ///< the steps are cut into chunks that different blocks take (walk_chunks.cuh)
};

enum class ScanWish { Auto, Columns, Chunks };

/// "auto", "columns" or "chunks". Throws std::invalid_argument that says so.
ScanWish scanWishNamed(std::string_view word);

/// What the caller wants: that of the last ScopedScanWish, else what the environment variable UNROLL_SCAN_WAY named
/// when first asked, else Auto. For tests and measurements; not while kernels are started on other threads.
ScanWish scanWish();

class ScopedScanWish {
public:
    explicit ScopedScanWish(ScanWish wish);
    ~ScopedScanWish();
    ScopedScanWish(const ScopedScanWish&) = delete;
    ScopedScanWish& operator=(const ScopedScanWish&) = delete;

private:
    ScanWish m_before;
};

/// Columns a multiprocessor must have for walking by columns to be the faster way. Measured on an H200
/// (docs/benchmarks/gpu-h200.md): at 62 chunks take 0.1 to 0.9 times as long, at 124 they are behind for real numbers
/// alone, at 248 for all but matrices.
inline constexpr std::int64_t kColumnsAMultiprocessor = 128;
/// The same of matrix_scan, whose columns are rows of matrices: at 248, the most that was measured, chunks take 0.8
/// times as long.
inline constexpr std::int64_t kMatrixRowsAMultiprocessor = 512;

struct ScanSizes {
    std::int64_t steps = 0;
    std::int64_t columns = 0;                      ///< threads that walking by columns would keep busy
    std::int64_t chunkSteps = 0;                   ///< 0: this scan cannot be chunked
    std::int64_t enough = kColumnsAMultiprocessor; ///< columns a multiprocessor from which on it is walked by columns
};

struct ScanLaunch {
    ScanWay way = ScanWay::Columns;
    std::int64_t chunkSteps = 0; ///< steps of a chunk; by columns 0
    std::int64_t chunks = 1;     ///< in time
};

/// By columns where these suffice, or where one chunk would hold all steps; else in chunks. A wish that can be had goes
/// first.
ScanLaunch chooseLaunch(const ScanSizes& sizes, int multiprocessors, ScanWish wish);

/// "by columns" or "in 12 chunks of 128 steps": what a profile says of the launch.
std::string describe(const ScanLaunch& launch);

} // namespace unroll::kernels
