// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace unroll::cli {

/// Becomes a module of app/python with these words: `python -m MODULE WORDS`; comes back with an exit code only where
/// that fails (become_python.h).
int becomePythonPackage(const std::string& module, const std::vector<std::string>& words);

} // namespace unroll::cli
