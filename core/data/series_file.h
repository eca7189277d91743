// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/number_table.h"
#include "core/data/series_dataset.h"

namespace unroll {

/// The table with its oldest row first. What such a file leaves open is as in `like`, where that is given; else as the
/// numbers come nearest to those of the trained model that reads them.
Result<NumberTable> openInOrder(const std::filesystem::path& file, const SeriesOptions& options,
                                const TableFormat* like = nullptr);

/// Puts the rows of the other files, which have the same columns, behind those of the table. Errors name the file as
/// openInOrder() does, or a column that it lacks.
Result<SeriesFiles> appendOtherFiles(NumberTable& table, const SeriesOptions& options);

} // namespace unroll
