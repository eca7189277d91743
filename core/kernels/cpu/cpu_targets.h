// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unroll::kernels {

/// The instruction sets that the CPU kernels were compiled for and this machine has, best first ("AVX3" is AVX-512).
/// The first is in use; where a test chose one, it is the only one.
std::vector<std::string> cpuTargets();

/// Whether an instruction set is there and allowed: bits of Highway's targets, any of which will do. Cheap, unlike
/// asking the processor, which a virtual machine answers by a trap.
bool usesCpuTarget(std::int64_t targets);

/// Makes every kernel of this library use one instruction set, until destroyed. For tests; not while kernels run on
/// other threads. `name` must be one of cpuTargets().
class ScopedCpuTarget {
public:
    explicit ScopedCpuTarget(const std::string& name);
    ~ScopedCpuTarget();
    ScopedCpuTarget(const ScopedCpuTarget&) = delete;
    ScopedCpuTarget& operator=(const ScopedCpuTarget&) = delete;
};

} // namespace unroll::kernels
