// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/scan/scan_launch.h"

#include <cstdlib>
#include <stdexcept>

namespace unroll::kernels {
namespace {

ScanWish& currentWish()
{
    static ScanWish wish = [] {
        const char* word = std::getenv("UNROLL_SCAN_WAY");
        return word ? scanWishNamed(word) : ScanWish::Auto;
    }();
    return wish;
}

} // namespace

ScanWish scanWishNamed(std::string_view word)
{
    if (word == "auto")
        return ScanWish::Auto;
    if (word == "columns")
        return ScanWish::Columns;
    if (word == "chunks")
        return ScanWish::Chunks;
    throw std::invalid_argument("UNROLL_SCAN_WAY is \"" + std::string(word) +
                                "\", expected \"auto\", \"columns\" or \"chunks\"");
}

ScanWish scanWish()
{
    return currentWish();
}

ScopedScanWish::ScopedScanWish(ScanWish wish) : m_before(currentWish())
{
    currentWish() = wish;
}

ScopedScanWish::~ScopedScanWish()
{
    currentWish() = m_before;
}

ScanLaunch chooseLaunch(const ScanSizes& sizes, int multiprocessors, ScanWish wish)
{
    const bool possible = sizes.chunkSteps > 0 && sizes.steps > 0 && sizes.columns > 0;
    const bool worthIt = sizes.steps > sizes.chunkSteps && sizes.columns < sizes.enough * multiprocessors;
    if (!possible || wish == ScanWish::Columns || (wish == ScanWish::Auto && !worthIt))
        return {};
    return {ScanWay::Chunks, sizes.chunkSteps, (sizes.steps + sizes.chunkSteps - 1) / sizes.chunkSteps};
}

std::string describe(const ScanLaunch& launch)
{
    if (launch.way == ScanWay::Columns)
        return "by columns";
    return "in " + std::to_string(launch.chunks) + (launch.chunks == 1 ? " chunk of " : " chunks of ") +
           std::to_string(launch.chunkSteps) + " steps";
}

} // namespace unroll::kernels
