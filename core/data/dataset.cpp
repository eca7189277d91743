// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/dataset.h"

namespace unroll {

Dataset::~Dataset() = default;

std::optional<int64_t> Dataset::tokensIn(Split) const
{
    return std::nullopt;
}

std::vector<int32_t> Dataset::beginning(Split split, int64_t count) const
{
    std::vector<int32_t> tokens;
    const auto wanted = static_cast<size_t>(count);
    const int64_t batches = batchesInSplit(split, 1);
    for (int64_t index = 0; index < batches && tokens.size() < wanted; ++index) {
        const Batch batch = evaluationBatch(split, index, 1);
        for (size_t t = 0; t < batch.tokens.size() && tokens.size() < wanted; ++t)
            if (batch.mask.empty() || batch.mask[t] != 0)
                tokens.push_back(batch.tokens[t]);
    }
    return tokens;
}

std::optional<double> Dataset::entropyFloor(Split) const
{
    return std::nullopt;
}

std::optional<double> Dataset::entropyExpected() const
{
    return std::nullopt;
}

std::optional<double> Dataset::memorylessBaseline() const
{
    return std::nullopt;
}

std::vector<std::string> Dataset::notices() const
{
    return {};
}

} // namespace unroll
