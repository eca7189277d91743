// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_measures.h"

#include "core/base/utf8.h"
#include "core/check/check.h"
#include "core/check/ports.h"
#include "core/data/text_dataset.h"
#include "core/runs/environment.h"

#include <algorithm>

namespace unroll {
namespace {

/// Classes that no text stands for are bytes, where there are as many.
std::string tokenWord(const Dataset& data)
{
    constexpr std::int64_t kBytes = 256;
    if (!data.labels().empty())
        return {};
    if (const auto* text = dynamic_cast<const TextDataset*>(&data))
        return text->unit() == TextUnit::Byte || text->unit() == TextUnit::Character ? unitName(text->unit()) : "";
    const std::vector<std::string> texts = classTexts(data);
    if (texts.empty())
        return data.classes() == kBytes ? "byte" : "";
    const bool areCharacters = std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
        return !text.empty() && decodeUtf8(text, 0).length == text.size();
    });
    return areCharacters ? "character" : "";
}

/// Sequences with a label each are padded to T, and padding is counted as it is read.
std::int64_t epochOf(const Dataset& data)
{
    const auto tokens = data.tokensIn(Split::Train);
    if (!tokens)
        return 0;
    return data.labels().empty() ? *tokens : data.batchesInSplit(Split::Train, 1) * data.steps();
}

} // namespace

RunMeasures measuresOf(const CheckedGraph& checked, const Dataset& data)
{
    return {lossUnitOf(checked), tokenWord(data), checked.cost.parameters,
            checked.cost.forwardFlops + checked.cost.backwardFlops, epochOf(data)};
}

} // namespace unroll
