// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/common/scan_case.h"

namespace unroll::kernels::test {

/// gru_steps and its definition, for tests and the accuracy table.
ScanKernel gruStepsKernel();

} // namespace unroll::kernels::test
