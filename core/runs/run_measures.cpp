// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_measures.h"

#include "core/check/check.h"
#include "core/check/ports.h"
#include "core/data/text_dataset.h"

namespace unroll {
namespace {

/// Words and pieces of a text are longer than a character, and what a task asks for is no text.
std::string tokenWord(const Dataset& data)
{
    const auto* text = dynamic_cast<const TextDataset*>(&data);
    const bool isShort = text != nullptr && (text->unit() == TextUnit::Byte || text->unit() == TextUnit::Character);
    return isShort ? unitName(text->unit()) : "";
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
