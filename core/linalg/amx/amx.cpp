// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/linalg/amx/amx.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace unroll::linalg {

namespace {

/// CPUID leaf 7, EDX bits 25 (AMX-INT8) and 22 (AMX-BF16): not every compiler's __builtin_cpu_supports knows them.
bool multipliesTiles()
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d >> 25U & 1U) != 0 && (d >> 22U & 1U) != 0;
}

} // namespace

bool hasAmx()
{
    constexpr long requestPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, from Linux 5.16 on
    static const bool has = multipliesTiles() && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512vnni") &&
                            ::syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
    return has;
}

} // namespace unroll::linalg

#endif // __x86_64__
