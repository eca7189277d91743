// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/experiment.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace unroll {

namespace {

/// The number in /proc/meminfo's line, in bytes; 0 when it is not there.
std::int64_t machineAvailable()
{
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word) {
        if (word != "MemAvailable:")
            continue;
        std::int64_t kib = 0;
        file >> kib;
        return kib * 1024;
    }
    return 0;
}

std::int64_t readNumber(const char* path)
{
    std::ifstream file(path);
    std::int64_t number = 0;
    return file >> number ? number : 0; // "max" reads as no number: no limit
}

/// What a container's limit leaves; 0 when there is none.
std::int64_t containerAvailable()
{
    const std::int64_t limit = readNumber("/sys/fs/cgroup/memory.max");
    const std::int64_t used = readNumber("/sys/fs/cgroup/memory.current");
    return limit > 0 ? std::max<std::int64_t>(limit - used, 1) : 0;
}

} // namespace

std::int64_t availableMemory()
{
    const std::int64_t machine = machineAvailable();
    const std::int64_t container = containerAvailable();
    if (machine == 0 || container == 0)
        return std::max(machine, container);
    return std::min(machine, container);
}

} // namespace unroll
