// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/adding_task.h"

#include <cmath>
#include <fmt/format.h>

namespace unroll {

Result<std::shared_ptr<const AddingTask>> AddingTask::create(const AddingOptions& options)
{
    for (const auto& check : {within("length", options.length, 2, kMostSteps), evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const AddingTask>(new AddingTask(options));
}

void AddingTask::write(Draft draft, Split, int64_t, Random random) const
{
    const int64_t half = m_options.length / 2;
    const int64_t marked[] = {random.between(0, half - 1), random.between(half, m_options.length - 1)};
    float sum = 0;
    for (int64_t t = 0; t < m_options.length; ++t) {
        const float number = random.unit();
        draft.feature(t, 0, number);
        if (t == marked[0] || t == marked[1]) {
            draft.feature(t, 1, 1);
            sum += number;
        }
    }
    draft.askValue(m_options.length - 1, 0, sum);
}

/// 1/6 is expected.
std::optional<Baseline> AddingTask::baseline(const Portion& portion) const
{
    double squares = 0;
    int64_t targets = 0;
    readPortion(portion, [&](const Batch& batch) {
        for (const float sum : batch.values)
            if (!std::isnan(sum)) {
                squares += (static_cast<double>(sum) - 1) * (static_cast<double>(sum) - 1);
                ++targets;
            }
    });
    return Baseline{squares / static_cast<double>(targets), "squared error", "always predicting 1"};
}

std::string AddingTask::describe() const
{
    return fmt::format("adding problem, {} steps", m_options.length);
}

std::string AddingTask::contentHash() const
{
    return fmt::format("adding-1:{}:{}", m_options.length, evaluationSequences());
}

std::shared_ptr<const GeneratedTask> AddingTask::ofLength(int64_t steps) const
{
    AddingOptions options = m_options;
    options.length = steps;
    return orNone(create(options));
}

} // namespace unroll
