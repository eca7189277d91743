// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_cut.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

/// Tokens of one part, which lie in a text that begins at `text`. The first of a text has none before it, and is input
/// alone.
TargetRange targetsOf(int64_t first, int64_t count, int64_t text)
{
    return first > text ? TargetRange{first, std::max<int64_t>(count, 0), first - text - 1}
                        : TargetRange{first + 1, std::max<int64_t>(count - 1, 0), 0};
}

} // namespace

Result<void> checkFractions(const TextOptions& options, bool cutsValidation, bool cutsTest)
{
    const double validation = options.validationFraction, test = options.testFraction;
    if (cutsValidation && !(validation > 0 && validation < 1))
        return fail(fmt::format("expected a validation fraction between 0 and 1; got {}", validation),
                    "validation_fraction");
    if (!cutsTest)
        return {};
    if (!(test >= 0 && test < 1))
        return fail(fmt::format("expected a test fraction of 0, or between 0 and 1; got {}", test), "test_fraction");
    if (cutsValidation && !(validation + test < 1))
        return fail(
            fmt::format("validation and test leave nothing to train on: {} and {} of the text", validation, test),
            "test_fraction");
    return {};
}

void cutText(LoadedText& loaded, bool follow, const TextSizes& sizes, const TextOptions& options)
{
    const double validation = sizes.validation ? 0 : options.validationFraction;
    const double test = sizes.test ? 0 : options.testFraction;
    const auto [training, end] = divided(sizes.first, validation, test);
    const auto ofFile = [&](int64_t first, int64_t count) { return targetsOf(first, count, follow ? 0 : first); };
    loaded.training = targetsOf(0, training, 0);
    loaded.validation =
        sizes.validation ? ofFile(sizes.first, *sizes.validation) : targetsOf(training, end - training, 0);
    loaded.preview.training = training;
    loaded.preview.validation = sizes.validation.value_or(end - training);
    loaded.preview.test = sizes.test.value_or(sizes.first - end);
    if (loaded.preview.test > 0)
        loaded.test = sizes.test ? ofFile(sizes.first + sizes.validation.value_or(0), *sizes.test)
                                 : targetsOf(end, sizes.first - end, 0);
    loaded.preview.characters = loaded.tokens.size();
    loaded.firstText = sizes.first;
    loaded.isOneText = (!sizes.validation && !sizes.test) || follow;
}

} // namespace unroll
