// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace unroll::cli {

/// Becomes the Python program of searches and races (app/study) with these words and --cli, this program; comes back
/// with an exit code only where that fails (become_python.h).
int becomePythonTool(std::vector<std::string> words);

} // namespace unroll::cli
