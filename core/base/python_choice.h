// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace unroll {

/// The Python that programs are run by: $UNROLL_PYTHON, which is taken as it is, else `near`, where there is such a
/// file, else python3 of PATH. That it can be run is not known.
std::string chosenPython(const std::filesystem::path& near);

} // namespace unroll
