// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/induction_task.h"

#include "core/data/tasks/symbol_labels.h"

#include <cmath>
#include <fmt/format.h>

namespace unroll {

Result<std::shared_ptr<const InductionTask>> InductionTask::create(const InductionOptions& options)
{
    constexpr int64_t shortest = 3; // trigger, symbol, trigger
    for (const auto& check :
         {within("symbols", options.symbols, 2, kMostSymbols), within("length", options.length, shortest, kMostSteps),
          within("validation_length", options.validationLength, shortest, kMostSteps),
          evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const InductionTask>(new InductionTask(options));
}

int64_t InductionTask::stepsIn(Split split) const
{
    return split == Split::Train ? m_options.length : m_options.validationLength;
}

void InductionTask::write(Draft draft, Split split, int64_t, Random random) const
{
    const int64_t last = stepsIn(split) - 1, first = random.between(0, last - 2);
    for (int64_t t = 0; t < last; ++t) {
        if (t == first) {
            draft.token(t, trigger());
            continue;
        }
        const auto symbol = static_cast<int64_t>(random.below(static_cast<uint64_t>(m_options.symbols)));
        draft.token(t, symbol);
        if (t == first + 1)
            draft.ask(last, symbol);
    }
    draft.token(last, trigger());
}

std::optional<Baseline> InductionTask::baseline(const Portion&) const
{
    return Baseline{std::log(static_cast<double>(m_options.symbols)), "nats/sequence", "chance level"};
}

std::string InductionTask::describe() const
{
    return fmt::format("induction heads: {} symbols, {} steps; validation {}", m_options.symbols, m_options.length,
                       m_options.validationLength);
}

std::vector<std::string> InductionTask::alphabet() const
{
    std::vector<std::string> labels = symbolLabels(m_options.symbols);
    labels.emplace_back("!");
    return labels;
}

std::string InductionTask::contentHash() const
{
    return fmt::format("induction-1:{}:{}:{}:{}", m_options.symbols, m_options.length, m_options.validationLength,
                       evaluationSequences());
}

std::shared_ptr<const GeneratedTask> InductionTask::ofLength(int64_t steps) const
{
    InductionOptions options = m_options;
    options.validationLength = steps;
    return orNone(create(options));
}

} // namespace unroll
