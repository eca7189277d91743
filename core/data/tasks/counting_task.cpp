// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/counting_task.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

enum Sign : int64_t { Start, A, B, End };

} // namespace

Result<std::shared_ptr<const CountingTask>> CountingTask::create(const CountingOptions& options)
{
    constexpr int64_t most = kMostSteps / 2 - 1;
    for (const auto& check :
         {within("shortest", options.shortest, 1, most), within("longest", options.longest, options.shortest, most),
          within("validation_shortest", options.validationShortest, 1, most),
          within("validation_longest", options.validationLongest, options.validationShortest, most),
          evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const CountingTask>(new CountingTask(options));
}

int64_t CountingTask::shortest(Split split) const
{
    return split == Split::Train ? m_options.shortest : m_options.validationShortest;
}

int64_t CountingTask::longest(Split split) const
{
    return split == Split::Train ? m_options.longest : m_options.validationLongest;
}

/// The end is asked for, not read.
int64_t CountingTask::stepsIn(Split split) const
{
    return 2 * longest(split) + 1;
}

void CountingTask::write(Draft draft, Split split, int64_t, Random random) const
{
    const int64_t n = drawn(split, random);
    const auto sign = [n](int64_t step) { return step == 0 ? Start : step <= n ? A : step <= 2 * n ? B : End; };
    for (int64_t t = 0; t <= 2 * n; ++t) {
        draft.token(t, sign(t));
        draft.ask(t, sign(t + 1), t > n);
    }
    draft.end(2 * n + 1);
}

double CountingTask::natsOf(Split split) const
{
    return std::log(static_cast<double>(longest(split) - shortest(split) + 1));
}

/// Which n it is costs so many nats however long the sequence turns out; they are shared by the 2 n + 1 signs asked
/// for.
std::optional<double> CountingTask::entropyFloor(const Portion& portion) const
{
    double nats = 0;
    int64_t asked = 0;
    const int64_t batches = batchesIn(portion);
    for (int64_t i = 0; i < batches; ++i) {
        const auto [split, index] =
            portion.split == Split::All ? partOf(i, portion.batchSize) : std::pair(portion.split, i);
        const int64_t end = std::min((index + 1) * portion.batchSize, evaluationSequences());
        for (int64_t number = index * portion.batchSize; number < end; ++number) {
            Random random = fixedStream(split, number);
            asked += 2 * drawn(split, random) + 1;
            nats += natsOf(split);
        }
    }
    return nats / static_cast<double>(asked);
}

std::optional<double> CountingTask::entropyExpected(Split split) const
{
    if (split == Split::All)
        return std::nullopt; // of sequences of several kinds
    return natsOf(split) / static_cast<double>(shortest(split) + longest(split) + 1);
}

std::string CountingTask::describe() const
{
    return fmt::format("a^n b^n, n from {} to {}; validation {} to {}", m_options.shortest, m_options.longest,
                       m_options.validationShortest, m_options.validationLongest);
}

std::string CountingTask::contentHash() const
{
    return fmt::format("anbn-1:{}:{}:{}:{}:{}", m_options.shortest, m_options.longest, m_options.validationShortest,
                       m_options.validationLongest, evaluationSequences());
}

} // namespace unroll
