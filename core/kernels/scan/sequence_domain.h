// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/scan/scan_domain.h"

namespace unroll::kernels {

/// One whose columns are whole sequences: every unit of a state reads all of the state before it.
struct SequenceDomain : ScanDomain {
    std::int64_t cpuColumns() const { return 1; }
    std::int64_t elementsAColumn() const { return width > 0 ? width : 1; }
};

} // namespace unroll::kernels
