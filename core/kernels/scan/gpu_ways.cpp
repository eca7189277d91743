// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/scan/gpu_ways.h"

#include "core/kernels/scan/scan_launch.h"
#include "core/kernels/steps/steps_launch.h"

namespace unroll::kernels {
namespace {

const char* wishText(ScanWish wish)
{
    switch (wish) {
    case ScanWish::Columns: return "by columns (UNROLL_SCAN_WAY)";
    case ScanWish::Chunks: return "in chunks (UNROLL_SCAN_WAY)";
    case ScanWish::Auto: break;
    }
    return "by columns or in chunks, by size (UNROLL_SCAN_WAY=columns or chunks: always)";
}

const char* wishText(StepsWish wish)
{
    switch (wish) {
    case StepsWish::Products: return "by products (UNROLL_STEPS_WAY)";
    case StepsWish::Persistent: return "in one launch (UNROLL_STEPS_WAY)";
    case StepsWish::Auto: break;
    }
    return "in one launch or by products, by size (UNROLL_STEPS_WAY=persistent or products: always)";
}

} // namespace

std::string gpuWays()
{
    return std::string("scans ") + wishText(scanWish()) + "; RNN and GRU steps " + wishText(stepsWish());
}

} // namespace unroll::kernels
