// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/irregular_task.h"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace unroll {

namespace {

constexpr double kShortestPeriod = 4, kLongestPeriod = 12;

/// The sine at a phase counted in turns; a last bit of libm's sine vanishes in it.
float sineAt(double turns)
{
    return static_cast<float>(std::round(std::sin(2 * std::numbers::pi * turns) * 1000) / 1000);
}

} // namespace

Result<std::shared_ptr<const IrregularTask>> IrregularTask::create(const IrregularOptions& options)
{
    for (const auto& check : {within("length", options.length, 1, kMostSteps), evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    if (!(options.unevenness >= 0 && options.unevenness <= 1))
        return fail(fmt::format("expected 0 to 1; got {}", options.unevenness), "unevenness");
    return std::shared_ptr<const IrregularTask>(new IrregularTask(options));
}

void IrregularTask::write(Draft draft, Split, int64_t, Random random) const
{
    const double period = kShortestPeriod + (kLongestPeriod - kShortestPeriod) * static_cast<double>(random.unit());
    const double phase = random.unit();
    double time = 0;
    float before = sineAt(phase);
    for (int64_t t = 0; t < m_options.length; ++t) {
        const double gap = 1 + m_options.unevenness * (2 * static_cast<double>(random.unit()) - 1);
        time += gap;
        const float now = sineAt(time / period + phase);
        draft.feature(t, 0, before);
        draft.feature(t, 1, static_cast<float>(gap));
        draft.askValue(t, 0, now);
        before = now;
    }
}

std::optional<Baseline> IrregularTask::baseline(const Portion& portion) const
{
    double squares = 0;
    int64_t targets = 0;
    readPortion(portion, [&](const Batch& batch) {
        for (size_t i = 0; i < batch.values.size(); ++i)
            if (!std::isnan(batch.values[i])) {
                const double error = static_cast<double>(batch.values[i]) - static_cast<double>(batch.features[2 * i]);
                squares += error * error;
                ++targets;
            }
    });
    return Baseline{squares / static_cast<double>(targets), "squared error", "repeating the last value"};
}

std::string IrregularTask::describe() const
{
    return fmt::format("sines at uneven times, {} steps, unevenness {}", m_options.length, m_options.unevenness);
}

std::string IrregularTask::contentHash() const
{
    return fmt::format("irregular-1:{}:{}:{}", m_options.length, m_options.unevenness, evaluationSequences());
}

std::shared_ptr<const GeneratedTask> IrregularTask::ofLength(int64_t steps) const
{
    IrregularOptions options = m_options;
    options.length = steps;
    return orNone(create(options));
}

} // namespace unroll
