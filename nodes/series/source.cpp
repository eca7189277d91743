// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/learned_data.h"
#include "core/data/series_dataset.h"
#include "core/model/builders.h"

#include <filesystem>

namespace unroll::nodes::series {

namespace {

const std::string& word(const SourceSetup& setup, const char* name)
{
    return std::get<std::string>(setup.params.at(name));
}

/// A relative path is meant from the experiment's folder.
std::filesystem::path tableOf(const SourceSetup& setup)
{
    const std::filesystem::path path = word(setup, "file");
    return path.empty() || setup.folder.empty() ? path : std::filesystem::path(setup.folder) / path;
}

Normalisation normalisationOf(const SourceSetup& setup)
{
    const std::string& chosen = word(setup, "normalisation");
    return chosen == "min-max" ? Normalisation::MinMax
           : chosen == "none"  ? Normalisation::None
                               : Normalisation::Standard;
}

} // namespace

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return SeriesDataset::open(
        {.file = tableOf(setup),
         .inputColumns = word(setup, "input_columns"),
         .targetColumns = word(setup, "target_columns"),
         .horizon = std::get<std::int64_t>(setup.params.at("horizon")),
         .normalisation = normalisationOf(setup),
         .validationFraction = std::get<double>(setup.params.at("validation_fraction")),
         .order = word(setup, "order") == "streams" ? ReadingOrder::Streams : ReadingOrder::Windows,
         .steps = std::get<std::int64_t>(setup.params.at("steps")),
         .learned = setup.learned == nullptr ? SeriesScales{} : setup.learned->scales});
}

} // namespace unroll::nodes::series
