// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace unroll::cli {

/// Becomes a Python with these words: $UNROLL_PYTHON, the build tree's .venv, or python3. Comes back with an exit code
/// only where that fails, after a sentence that names the least version, "3.11".
int becomePython(std::vector<std::string> words, const char* leastVersion);

} // namespace unroll::cli
