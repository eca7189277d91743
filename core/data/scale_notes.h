// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_scale.h"
#include "core/data/number_table.h"

namespace unroll {

/// What scaling by the training part cannot do for one column.
void noteScale(const NumberColumn& column, const ColumnScale& scale, Normalisation normalisation, int64_t trainingRows,
               std::vector<DataNote>& notes);

} // namespace unroll
