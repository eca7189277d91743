// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace unroll {

namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::uint64_t memoryOfMachine()
{
    std::ifstream table("/proc/meminfo");
    std::string key, unit;
    std::uint64_t kilobytes = 0;
    while (table >> key >> kilobytes && std::getline(table, unit))
        if (key == "MemAvailable:")
            return kilobytes * 1024;
    return kUnknown;
}

// Page cache counts as used in memory.current but gives way, so only anonymous memory is taken off.
std::uint64_t memoryOfControlGroup()
{
    std::uint64_t limit = 0;
    if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> limit))
        return kUnknown; // no such file, or "max"
    std::ifstream table("/sys/fs/cgroup/memory.stat");
    std::string key;
    std::uint64_t bytes = 0;
    while (table >> key >> bytes)
        if (key == "anon")
            return limit > bytes ? limit - bytes : 0;
    return limit;
}

} // namespace

std::uint64_t availableMemory()
{
    return std::min(memoryOfMachine(), memoryOfControlGroup());
}

} // namespace unroll
