// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment's file: what is read is written and read back the same, and can be checked.
#include "tests/fuzz/fuzz.h"

#include "core/check/check.h"
#include "core/experiment/experiment.h"

using namespace unroll;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const BlockRegistry registry = allSpecs();
    const auto experiment = experimentFromText(test::textOf(data, size), "fuzz.unroll");
    if (!experiment) {
        test::demand(!experiment.error().message.empty(), "an error has a sentence");
        return 0;
    }
    const std::string text = experimentToText(*experiment);
    const auto again = experimentFromText(text, "again.unroll");
    test::demand(again.has_value(), "what was written can be read");
    test::demand(experimentToText(*again) == text, "it is written the same again");
    check(experiment->graph, registry, {});
    return 0;
}
