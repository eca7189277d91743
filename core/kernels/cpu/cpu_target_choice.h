// SPDX-License-Identifier: GPL-3.0-or-later
// Include before anything of Highway. With UNROLL_FEW_CPU_TARGETS a kernel is compiled for AVX-512, AVX2 and Highway's
// portable baseline only: enough for any machine, and half the compile time.
#pragma once

#if defined(UNROLL_FEW_CPU_TARGETS) && (defined(__x86_64__) || defined(_M_X64))
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#endif
