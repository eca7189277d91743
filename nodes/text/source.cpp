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

Result<std::shared_ptr<const TextDataset>> openBundled(const SourceSetup& setup)
{
    if (!setup.text("validation_file").empty())
        return fail("the bundled corpus has its own validation part; set file as well, or leave this empty",
                    "validation_file");
    if (!setup.text("test_file").empty())
        return fail(
            "the bundled corpus has its own test part: set test_fraction; set file as well, or leave this empty",
            "test_file");
    if (setup.text("unit") == "bytes")
        return fail("the bundled corpus is read as characters", "unit");
    return fableDataset({.validationFraction = setup.real("validation_fraction"),
                         .testFraction = setup.real("test_fraction"),
                         .order = orderOf(setup),
                         .steps = setup.integer("steps")});
}

} // namespace

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    if (setup.text("file").empty())
        return openBundled(setup);
    return TextDataset::open({.file = setup.file("file"),
                              .validationFile = setup.file("validation_file"),
                              .testFile = setup.file("test_file"),
                              .validationFraction = setup.real("validation_fraction"),
                              .testFraction = setup.real("test_fraction"),
                              .toTrain = setup.toTrain,
                              .unit = setup.text("unit") == "bytes" ? TextUnit::Byte : TextUnit::Character,
                              .order = orderOf(setup),
                              .steps = setup.integer("steps"),
                              .alphabet = setup.learned == nullptr ? "" : setup.learned->alphabet});
}

} // namespace unroll::nodes::text
