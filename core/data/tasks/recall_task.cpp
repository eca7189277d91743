// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/recall_task.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace unroll {

namespace {

constexpr int64_t kMostClasses = 65536;

/// `count` different numbers of lowest .. highest, in the order in which they were drawn.
std::vector<int64_t> different(Random& random, int64_t count, int64_t lowest, int64_t highest)
{
    std::vector<int64_t> drawn;
    while (std::ssize(drawn) < count)
        if (const int64_t next = random.between(lowest, highest);
            std::find(drawn.begin(), drawn.end(), next) == drawn.end())
            drawn.push_back(next);
    return drawn;
}

/// An index with the probability of its weight; that weight becomes 0.
size_t takeWeighted(Random& random, std::vector<uint64_t>& weights)
{
    uint64_t left = random.below(std::accumulate(weights.begin(), weights.end(), uint64_t{0}));
    size_t i = 0;
    for (; left >= weights[i]; ++i)
        left -= weights[i];
    weights[i] = 0;
    return i;
}

} // namespace

/// The weights are whole numbers, so that no machine rounds them its own way.
RecallTask::RecallTask(const RecallOptions& options)
    : GeneratedTask("mqar", options.evaluationSequences), m_options(options)
{
    for (int64_t place = 1; place <= options.length / 2 - options.pairs; ++place)
        m_weights.push_back(static_cast<uint64_t>(std::llround(0x1p32 * std::pow(static_cast<double>(place), -0.99))));
}

Result<std::shared_ptr<const RecallTask>> RecallTask::create(const RecallOptions& options)
{
    // Half of what there is at most: a draw without repeats stays quick.
    const int64_t mostPairs = std::max<int64_t>(1, options.vocabulary / 4);
    for (const auto& check :
         {within("vocabulary", options.vocabulary, 8, kMostClasses), within("pairs", options.pairs, 1, mostPairs),
          within("length", options.length, 4 * options.pairs, kMostSteps), evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const RecallTask>(new RecallTask(options));
}

void RecallTask::write(Draft draft, Split, int64_t, Random random) const
{
    const int64_t pairs = m_options.pairs;
    const auto keys = different(random, pairs, 1, firstValue() - 1);
    const auto values = different(random, pairs, firstValue(), m_options.vocabulary - 1);
    auto weights = m_weights;
    for (int64_t i = 0; i < pairs; ++i) {
        const auto pair = static_cast<size_t>(i);
        draft.token(2 * i, keys[pair]);
        draft.token(2 * i + 1, values[pair]);
        const int64_t back = 2 * (pairs + static_cast<int64_t>(takeWeighted(random, weights)));
        draft.token(back, keys[pair]);
        draft.ask(back, values[pair]);
    }
}

std::optional<Baseline> RecallTask::baseline(const Portion&) const
{
    return Baseline{std::log(static_cast<double>(m_options.vocabulary - firstValue())), "nats/token", "chance level"};
}

std::string RecallTask::describe() const
{
    return fmt::format("recall of {} pairs in {} steps, vocabulary {}", m_options.pairs, m_options.length,
                       m_options.vocabulary);
}

std::vector<std::string> RecallTask::alphabet() const
{
    const size_t digits = std::to_string(m_options.vocabulary - firstValue()).size();
    std::vector<std::string> labels{std::string(digits + 1, '.')};
    for (int64_t key = 1; key < firstValue(); ++key)
        labels.push_back(fmt::format("k{:0{}}", key, digits));
    for (int64_t value = 1; firstValue() + value <= m_options.vocabulary; ++value)
        labels.push_back(fmt::format("v{:0{}}", value, digits));
    return labels;
}

std::string RecallTask::contentHash() const
{
    return fmt::format("mqar-1:{}:{}:{}:{}", m_options.vocabulary, m_options.pairs, m_options.length,
                       evaluationSequences());
}

std::shared_ptr<const GeneratedTask> RecallTask::ofLength(int64_t steps) const
{
    RecallOptions options = m_options;
    options.length = steps;
    return orNone(create(options));
}

} // namespace unroll
