// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_program.h"

#include "core/base/loaded_library.h"

#include <filesystem>

namespace unroll {

std::string pythonBesideTorch()
{
    std::error_code error;
    const std::filesystem::path torch = loadedLibrary("libtorch_cpu");
    // .venv/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so
    const auto program = torch.parent_path() / "../../../../../bin/python";
    const bool there = !torch.empty() && std::filesystem::exists(program, error);
    return there ? program.lexically_normal().string() : std::string();
}

} // namespace unroll
