// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/loaded_library.h"

#include <fstream>

namespace unroll {

std::string loadedLibrary(const std::string& part)
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (const std::size_t slash = line.find('/');
            slash != std::string::npos && line.find(part, slash) != std::string::npos)
            return line.substr(slash);
    return {};
}

} // namespace unroll
