// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_series.h"
#include "nodes/shared/labelled_source.h"
#include "nodes/shared/table_wishes.h"

namespace unroll::nodes::labelled_series {

namespace {

Normalisation normalisationOf(const SourceSetup& setup)
{
    const std::string& chosen = setup.text("normalisation");
    return chosen == "min-max" ? Normalisation::MinMax
           : chosen == "none"  ? Normalisation::None
                               : Normalisation::Standard;
}

} // namespace

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    const bool trained = setup.learned != nullptr;
    return LabelledSeries::open({.file = setup.file("file"),
                                 .table = tableWishes(setup),
                                 .labelColumn = setup.text("label_column"),
                                 .idColumn = setup.text("id_column"),
                                 .inputColumns = setup.text("input_columns"),
                                 .normalisation = normalisationOf(setup),
                                 .unscaledColumns = setup.text("unscaled_columns"),
                                 .longest = setup.integer("longest"),
                                 .split = labelledSplit(setup),
                                 .learned = trained ? setup.learned->scales : SeriesScales{},
                                 .labels = trained ? setup.learned->labels : std::vector<std::string>{}});
}

} // namespace unroll::nodes::labelled_series
