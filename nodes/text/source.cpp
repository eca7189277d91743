// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/fable_corpus.h"
#include "core/data/learned_data.h"
#include "core/data/text_dataset.h"
#include "core/model/builders.h"

#include <filesystem>

namespace unroll::nodes::text {

namespace {

const std::string& word(const SourceSetup& setup, const char* name)
{
    return std::get<std::string>(setup.params.at(name));
}

/// Empty stays empty; a relative path is meant from the experiment's folder.
std::filesystem::path pathOf(const SourceSetup& setup, const char* name)
{
    const std::filesystem::path path = word(setup, name);
    return path.empty() || setup.folder.empty() ? path : std::filesystem::path(setup.folder) / path;
}

ReadingOrder orderOf(const SourceSetup& setup)
{
    return word(setup, "order") == "windows" ? ReadingOrder::Windows : ReadingOrder::Streams;
}

Result<std::shared_ptr<const TextDataset>> openBundled(const SourceSetup& setup)
{
    if (!word(setup, "validation_file").empty())
        return fail("the bundled corpus has its own validation part; name a file as well, or leave this empty",
                    "validation_file");
    if (word(setup, "unit") == "bytes")
        return fail("the bundled corpus is read as characters", "unit");
    return fableDataset({.validationFraction = std::get<double>(setup.params.at("validation_fraction")),
                         .order = orderOf(setup),
                         .steps = std::get<std::int64_t>(setup.params.at("steps"))});
}

} // namespace

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    if (word(setup, "file").empty())
        return openBundled(setup);
    return TextDataset::open({.file = pathOf(setup, "file"),
                              .validationFile = pathOf(setup, "validation_file"),
                              .validationFraction = std::get<double>(setup.params.at("validation_fraction")),
                              .unit = word(setup, "unit") == "bytes" ? TextUnit::Byte : TextUnit::Character,
                              .order = orderOf(setup),
                              .steps = std::get<std::int64_t>(setup.params.at("steps")),
                              .alphabet = setup.learned == nullptr ? "" : setup.learned->alphabet});
}

} // namespace unroll::nodes::text
