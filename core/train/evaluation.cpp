// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/evaluation.h"

#include <cmath>
#include <fmt/format.h>

namespace unroll {

/// Numbers are told more or less well, and never right.
void Tally::addGuesses(const Batch& batch, const at::Tensor& prediction)
{
    if (batch.targets.empty())
        return;
    const at::Tensor guesses = prediction.argmax(-1).cpu().contiguous();
    const std::int64_t* guess = guesses.const_data_ptr<std::int64_t>();
    const bool once = prediction.dim() == 2; // one guess a sequence: [B, classes]
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
        const bool counts = batch.targets[i] != kIgnoredTarget && (batch.scored.empty() || batch.scored[i] != 0);
        if (!counts)
            continue;
        const std::int64_t told = guess[once ? i % static_cast<std::size_t>(batch.sequences) : i];
        ++counted;
        right += told == batch.targets[i];
        if (labels > 0)
            ++confusion[static_cast<std::size_t>(batch.targets[i] * labels + told)];
    }
}

Evaluation Tally::mean() const
{
    Evaluation result;
    result.targets = targets;
    result.bad = bad;
    if (targets > 0)
        result.loss = loss / static_cast<double>(targets);
    if (!std::isfinite(loss)) // what is not a number predicts no class
        return result;
    result.confusion = confusion;
    if (counted > 0)
        result.accuracy = static_cast<double>(right) / static_cast<double>(counted);
    return result;
}

std::string leakIn(const Evaluation& evaluation, std::optional<double> floor, const std::string& split)
{
    constexpr double kChance = 13.8;   // nats: one case in a million
    constexpr double kRounding = 1e-5; // of the loss, which is summed in single precision
    if (!floor || !evaluation.loss)
        return {};
    const double below = (*floor - *evaluation.loss - kRounding * *floor) * static_cast<double>(evaluation.targets);
    if (!(below > kChance))
        return {};
    return fmt::format("{} loss {:.4f} is below the entropy of these data, {:.4f}, which is impossible without seeing "
                       "the targets: the graph leaks them, or the model memorised them",
                       split, *evaluation.loss, *floor);
}

} // namespace unroll
