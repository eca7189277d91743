// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace unroll::kernels {

/// Which way recurrences go over a GPU, in words: by the sizes of a call, or as UNROLL_SCAN_WAY and UNROLL_STEPS_WAY
/// name it. Throws std::invalid_argument where one of these names no way. No torch.
std::string gpuWays();

} // namespace unroll::kernels
