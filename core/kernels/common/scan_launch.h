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

/// What the caller wants: that of the last ScopedScanWish, else what the environment variable UNROLL_SCAN_WAY named when first asked, else
/// Auto. For tests and measurements; not while kernels are started on other threads.
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

struct ScanSizes {
    std::int64_t steps = 0;
    std::int64_t columns = 0;    ///< threads that walking by columns would keep busy
    std::int64_t chunkSteps = 0; ///< 0: this scan cannot be chunked
};

struct ScanLaunch {
    ScanWay way = ScanWay::Columns;
    std::int64_t chunkSteps = 0; ///< steps of a chunk; by columns 0
    std::int64_t chunks = 1;     ///< in time
};

/// Columns a multiprocessor must have for walking by columns to keep the memory busy. Reasoned, not measured: 5 TB/s at 0.7 us take 3.5 MB
/// in flight; a thread has 8 steps of about 12 bytes on their way, so that takes 36,000 threads, about 256 on each of an H200's 132.
inline constexpr std::int64_t columnsAMultiprocessor = 256;

/// By columns where these suffice, or where one chunk would hold all steps; else in chunks. A wish that can be had goes first.
ScanLaunch chooseLaunch(const ScanSizes& sizes, int multiprocessors, ScanWish wish);

/// "by columns" or "in 12 chunks of 128 steps": what a profile says of the launch.
std::string describe(const ScanLaunch& launch);

} // namespace unroll::kernels
