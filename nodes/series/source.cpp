// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/learned_data.h"
#include "core/data/series_dataset.h"
#include "nodes/shared/table_wishes.h"

#include <filesystem>

namespace unroll::nodes::series {

namespace {

Normalisation normalisationOf(const SourceSetup& setup)
{
    const std::string& chosen = setup.text("normalisation");
    return chosen == "min-max" ? Normalisation::MinMax
           : chosen == "none"  ? Normalisation::None
                               : Normalisation::Standard;
}

RowOrder rowOrderOf(const SourceSetup& setup)
{
    const std::string& chosen = setup.text("row_order");
    return chosen == "reversed" ? RowOrder::Reversed : chosen == "auto" ? RowOrder::Auto : RowOrder::File;
}

} // namespace

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return SeriesDataset::open(
        {.file = setup.file("file"),
         .validationFile = setup.file("validation_file"),
         .testFile = setup.file("test_file"),
         .table = tableWishes(setup),
         .rowOrder = rowOrderOf(setup),
         .inputColumns = setup.text("input_columns"),
         .targetColumns = setup.text("target_columns"),
         .horizon = setup.integer("horizon"),
         .normalisation = normalisationOf(setup),
         .unscaledColumns = setup.text("unscaled_columns"),
         .validationFraction = setup.real("validation_fraction"),
         .testFraction = setup.real("test_fraction"),
         .toTrain = setup.toTrain,
         .order = setup.text("order") == "streams" ? ReadingOrder::Streams : ReadingOrder::Windows,
         .steps = setup.integer("steps"),
         .learned = setup.learned == nullptr ? SeriesScales{} : setup.learned->scales});
}

} // namespace unroll::nodes::series
