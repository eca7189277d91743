// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace unroll {

/// The path of a library that this process has loaded and whose path holds `part`; empty where there is none.
std::string loadedLibrary(const std::string& part);

} // namespace unroll
