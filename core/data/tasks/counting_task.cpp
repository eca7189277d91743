// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/counting_task.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

Result<std::shared_ptr<const CountingTask>> CountingTask::create(const CountingOptions& options)
{
    constexpr int64_t fewest = 2, letters = 3;
    const int64_t most = kMostSteps / std::clamp(options.letters, fewest, letters) - 1;
    for (const auto& check :
         {within("letters", options.letters, fewest, letters), within("shortest", options.shortest, 1, most),
          within("longest", options.longest, options.shortest, most),
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
    return m_options.letters * longest(split) + 1;
}

/// Class 0 is the start, letter i is class i, the end comes after them.
void CountingTask::write(Draft draft, Split split, int64_t, Random random) const
{
    const int64_t n = drawn(split, random), letters = m_options.letters * n;
    const auto sign = [n](int64_t step) { return (step + n - 1) / n; };
    for (int64_t t = 0; t <= letters; ++t) {
        draft.token(t, sign(t));
        draft.ask(t, sign(t + 1), t > n);
    }
    draft.end(letters + 1);
}

double CountingTask::natsOf(Split split) const
{
    return std::log(static_cast<double>(longest(split) - shortest(split) + 1));
}

/// Which n it is costs so many nats however long the sequence turns out; they are shared by the signs asked for, one
/// more than there are letters.
std::optional<double> CountingTask::entropyFloor(const Portion& portion) const
{
    double nats = 0;
    int64_t asked = 0;
    readStreams(portion, [&](Split split, Random random) {
        asked += m_options.letters * drawn(split, random) + 1;
        nats += natsOf(split);
    });
    return nats / static_cast<double>(asked);
}

std::optional<double> CountingTask::entropyExpected(Split split) const
{
    if (split == Split::All)
        return std::nullopt; // of sequences of several kinds
    const double letters =
        static_cast<double>(m_options.letters * (shortest(split) + longest(split))) / 2; // on average
    return natsOf(split) / (letters + 1);
}

std::vector<std::string> CountingTask::alphabet() const
{
    std::vector<std::string> labels{"<", "a", "b", "c"};
    labels.resize(static_cast<size_t>(m_options.letters) + 1);
    labels.emplace_back(">");
    return labels;
}

std::string CountingTask::describe() const
{
    return fmt::format("a^n b^n{}, n from {} to {}; validation {} to {}", m_options.letters == 3 ? " c^n" : "",
                       m_options.shortest, m_options.longest, m_options.validationShortest,
                       m_options.validationLongest);
}

std::string CountingTask::contentHash() const
{
    return fmt::format("anbn-1:{}:{}:{}:{}:{}{}", m_options.shortest, m_options.longest, m_options.validationShortest,
                       m_options.validationLongest, evaluationSequences(), m_options.letters == 3 ? ":abc" : "");
}

std::shared_ptr<const GeneratedTask> CountingTask::ofLength(int64_t steps) const
{
    CountingOptions options = m_options;
    const int64_t n = std::max<int64_t>((steps - 1 + options.letters / 2) / options.letters, 1);
    options.validationShortest = options.validationLongest = n;
    return orNone(create(options));
}

} // namespace unroll
