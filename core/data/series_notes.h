// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/number_table.h"
#include "core/data/series_dataset.h"

namespace unroll {

/// Whether the table tells by its columns of time that its newest row comes first.
bool isNewestFirst(const NumberTable& table);

/// What a user should know of a table, of the columns that are read from it and of how they are scaled. Numbers that
/// say when a row was taken, or that count rows, are named where they are read only because all are; so are words for a
/// missing number, columns whose spread single or double precision cannot tell, and those that the training part does
/// not show as they are later. `scales` are those in use.
std::vector<DataNote> seriesNotes(const NumberTable& table, const SeriesOptions& options, const SeriesScales& scales,
                                  int64_t trainingRows);

} // namespace unroll
