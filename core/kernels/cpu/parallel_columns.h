// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/scan/rows.h"

#include <c10/util/FunctionRef.h>

#include <cstdint>

namespace unroll::kernels {

/// Calls body(columns) until every column of the batch x width plane had its turn, on up to at::get_num_threads()
/// threads. Small work (batch * width * steps elements) stays on the calling thread. Pieces are a few thousand
/// elements, so that the states of one piece stay in a core's cache while it walks along the steps. A column is one
/// element of state, or `elements` that lie together. Compiled here, with OpenMP: at::parallel_for runs on one thread
/// in a file built without.
void parallelColumns(std::int64_t batch, std::int64_t width, std::int64_t steps,
                     c10::function_ref<void(ColumnRange)> body, std::int64_t elements = 1);

} // namespace unroll::kernels
