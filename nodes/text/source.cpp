// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/fable_corpus.h"
#include "core/data/learned_data.h"
#include "core/data/text_dataset.h"

#include <filesystem>

namespace unroll::nodes::text {

namespace {

ReadingOrder orderOf(const SourceSetup& setup)
{
    return setup.text("order") == "windows" ? ReadingOrder::Windows : ReadingOrder::Streams;
}

TextUnit unitOf(const SourceSetup& setup)
{
    const std::string& unit = setup.text("unit");
    return unit == "bytes" ? TextUnit::Byte : unit == "words" ? TextUnit::Word : TextUnit::Character;
}

Result<std::shared_ptr<const TextDataset>> openBundled(const SourceSetup& setup)
{
    if (!setup.text("validation_file").empty())
        return fail("the bundled corpus has its own validation part; set file as well, or leave this empty",
                    "validation_file");
    if (!setup.text("test_file").empty())
        return fail(
            "the bundled corpus has its own test part: set test_fraction; set file as well, or leave this empty",
            "test_file");
    if (unitOf(setup) != TextUnit::Character)
        return fail("the bundled corpus is read as characters", "unit");
    if (!setup.text("text_field").empty())
        return fail("the bundled corpus has no fields; set file as well, or leave this empty", "text_field");
    return fableDataset({.validationFraction = setup.real("validation_fraction"),
                         .testFraction = setup.real("test_fraction"),
                         .order = orderOf(setup),
                         .steps = setup.integer("steps"),
                         .vocabularyLimit = setup.integer("vocabulary_limit")});
}

} // namespace

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    if (setup.text("file").empty())
        return openBundled(setup);
    const bool trained = setup.learned != nullptr;
    return TextDataset::open({.file = setup.file("file"),
                              .field = setup.text("text_field"),
                              .split = setup.text("parts") == "fractions" ? TextSplit::Fractions : TextSplit::Published,
                              .validationFile = setup.file("validation_file"),
                              .testFile = setup.file("test_file"),
                              .validationFraction = setup.real("validation_fraction"),
                              .testFraction = setup.real("test_fraction"),
                              .toTrain = setup.toTrain,
                              .unit = unitOf(setup),
                              .order = orderOf(setup),
                              .steps = setup.integer("steps"),
                              .alphabet = trained ? setup.learned->alphabet : "",
                              .words = trained ? setup.learned->words : std::vector<std::string>{},
                              .vocabularyLimit = setup.integer("vocabulary_limit")});
}

} // namespace unroll::nodes::text
