// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/steps/steps_launch.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace unroll::kernels {
namespace {

StepsWish& currentWish()
{
    static StepsWish wish = [] {
        const char* word = std::getenv("UNROLL_STEPS_WAY");
        return word ? stepsWishNamed(word) : StepsWish::Auto;
    }();
    return wish;
}

} // namespace

StepsWish stepsWishNamed(std::string_view word)
{
    if (word == "auto")
        return StepsWish::Auto;
    if (word == "products")
        return StepsWish::Products;
    if (word == "persistent")
        return StepsWish::Persistent;
    throw std::invalid_argument("UNROLL_STEPS_WAY is \"" + std::string(word) +
                                "\", expected \"auto\", \"products\" or \"persistent\"");
}

StepsWish stepsWish()
{
    return currentWish();
}

ScopedStepsWish::ScopedStepsWish(StepsWish wish) : m_before(currentWish())
{
    currentWish() = wish;
}

ScopedStepsWish::~ScopedStepsWish()
{
    currentWish() = m_before;
}

StepsLaunch chooseSteps(const StepsSizes& sizes, std::int64_t resident, StepsWish wish)
{
    const std::int64_t slices = (sizes.width + kPersistentUnits - 1) / kPersistentUnits, all = tilesOf(sizes.batch);
    const bool possible = sizes.steps > 0 && slices > 0 && all > 0 && slices <= resident;
    if (!possible || wish == StepsWish::Products)
        return {};
    const std::int64_t atOnce = std::min(all, resident / slices), tiles = (all + atOnce - 1) / atOnce;
    if (wish == StepsWish::Auto && (sizes.steps == 1 || tiles > kTilesThatPay))
        return {};
    return {StepsWay::Persistent, slices, (all + tiles - 1) / tiles, tiles};
}

std::string describe(const StepsLaunch& launch)
{
    if (launch.way == StepsWay::Products)
        return "by products";
    return "in one launch of " + std::to_string(launch.blocks()) + (launch.blocks() == 1 ? " block" : " blocks");
}

} // namespace unroll::kernels
