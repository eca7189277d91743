// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/linalg/amx/amx.h"

#if defined(__x86_64__)

#include <sys/syscall.h>
#include <unistd.h>

namespace unroll::linalg {

bool hasAmx()
{
    constexpr long requestPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, from Linux 5.16 on
    static const bool has = __builtin_cpu_supports("amx-int8") && __builtin_cpu_supports("amx-bf16") &&
                            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni") &&
                            ::syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
    return has;
}

} // namespace unroll::linalg

#endif // __x86_64__
