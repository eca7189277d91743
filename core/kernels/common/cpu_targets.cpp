// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/common/cpu_targets.h"

#include <hwy/highway.h>

#include <cassert>

namespace unroll::kernels {
namespace {

/// What HWY_DYNAMIC_DISPATCH can reach here. A plain file is compiled for the static target alone, so HWY_TARGETS is asked, not HWY_TARGET.
std::vector<std::int64_t> reachableTargets()
{
    return hwy::SupportedAndGeneratedTargets();
}

void chooseTargets(std::int64_t targets)
{
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

} // namespace

std::vector<std::string> cpuTargets()
{
    std::vector<std::string> names;
    for (std::int64_t target : reachableTargets())
        names.emplace_back(hwy::TargetName(target));
    return names;
}

std::string cpuTargetInUse()
{
    return cpuTargets().front();
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
