// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"

#include <cstdint>

namespace unroll {

/// The sequences `from` to `from + count - 1` of a batch.
Batch columnsOf(const Batch& batch, std::int64_t from, std::int64_t count);

} // namespace unroll
