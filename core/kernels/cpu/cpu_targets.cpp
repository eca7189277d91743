// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/cpu/cpu_targets.h"

#include <hwy/highway.h>

#include <atomic>
#include <cassert>

namespace unroll::kernels {
namespace {

/// What HWY_DYNAMIC_DISPATCH can reach here. A plain file is compiled for the static target alone, so HWY_TARGETS is
/// asked, not HWY_TARGET.
std::vector<std::int64_t> reachableTargets()
{
    return hwy::SupportedAndGeneratedTargets();
}

std::atomic<std::int64_t>& allowedTargets()
{
    static std::atomic<std::int64_t> targets{hwy::SupportedTargets()};
    return targets;
}

void chooseTargets(std::int64_t targets)
{
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    allowedTargets() = hwy::SupportedTargets();
}

} // namespace

std::vector<std::string> cpuTargets()
{
    std::vector<std::string> names;
    for (std::int64_t target : reachableTargets())
        names.emplace_back(hwy::TargetName(target));
    return names;
}

bool usesCpuTarget(std::int64_t targets)
{
    return (allowedTargets().load(std::memory_order_relaxed) & targets) != 0;
}

ScopedCpuTarget::ScopedCpuTarget(const std::string& name)
{
    for (std::int64_t target : reachableTargets())
        if (name == hwy::TargetName(target)) {
            chooseTargets(target);
            return;
        }
    assert(false && "not one of cpuTargets()");
}

ScopedCpuTarget::~ScopedCpuTarget()
{
    chooseTargets(0);
}

} // namespace unroll::kernels
