// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

/// Runs a program of a few lines by a Python with torch ($UNROLL_PYTHON, the one beside this process's torch, or
/// python3) and waits for it. `words` are its sys.argv from 1 on; `folder` takes what it prints. Gives its standard
/// output, or as an error the last line in which Python names one. `stop` kills it, and the wait ends. It ends
/// with this process too, however that ends: its standard input is a pipe for this alone.
Result<std::string> runPython(const std::string& program, const std::vector<std::string>& words,
                              const std::filesystem::path& folder, const std::stop_token& stop = {});

} // namespace unroll
