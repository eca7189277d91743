// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/memory.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

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

/// What one group may still take. Page cache counts as used in memory.current but gives way, so only anonymous memory
/// is taken off.
std::uint64_t memoryOfGroup(const std::filesystem::path& folder)
{
    std::uint64_t limit = 0;
    if (!(std::ifstream(folder / "memory.max") >> limit))
        return kUnknown; // no such file, or "max"
    std::ifstream table(folder / "memory.stat");
    std::string key;
    std::uint64_t bytes = 0;
    while (table >> key >> bytes)
        if (key == "anon")
            return limit > bytes ? limit - bytes : 0;
    return limit;
}

/// Where the process stands in the one hierarchy of version 2, "0::/user.slice/app.scope", without the first slash.
std::filesystem::path groupOf(const std::string& membership)
{
    std::istringstream lines(membership);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("0::/"))
            return line.substr(4);
    return {};
}

} // namespace

std::uint64_t memoryOfControlGroups(const std::filesystem::path& root, const std::string& membership)
{
    std::uint64_t least = memoryOfGroup(root);
    std::filesystem::path folder = root;
    for (const std::filesystem::path& part : groupOf(membership))
        least = std::min(least, memoryOfGroup(folder /= part));
    return least;
}

std::uint64_t availableMemory()
{
    std::ifstream file("/proc/self/cgroup");
    const std::string membership{std::istreambuf_iterator<char>(file), {}};
    return std::min(memoryOfMachine(), memoryOfControlGroups("/sys/fs/cgroup", membership));
}

} // namespace unroll
