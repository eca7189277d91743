// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/parity_task.h"

#include <fmt/format.h>
#include <numbers>

namespace unroll {

Result<std::shared_ptr<const ParityTask>> ParityTask::create(const ParityOptions& options)
{
    const int64_t least = options.published ? 2 : 1;
    for (const auto& check :
         {within("shortest", options.shortest, least, kMostSteps),
          within("longest", options.longest, options.shortest, kMostSteps),
          within("validation_shortest", options.validationShortest, least, kMostSteps),
          within("validation_longest", options.validationLongest, options.validationShortest, kMostSteps),
          evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const ParityTask>(new ParityTask(options));
}

int64_t ParityTask::stepsIn(Split split) const
{
    return bits(split == Split::Train ? m_options.longest : m_options.validationLongest);
}

void ParityTask::write(Draft draft, Split split, int64_t, Random random) const
{
    const int64_t shortest = split == Split::Train ? m_options.shortest : m_options.validationShortest;
    const int64_t length = random.between(bits(shortest), stepsIn(split));
    int64_t odd = 0;
    for (int64_t t = 0; t < length; ++t) {
        const int64_t bit = random.between(0, 1);
        odd ^= bit;
        draft.token(t, firstClass() + bit);
        if (m_options.everyStep || t == length - 1)
            draft.ask(t, firstClass() + odd);
    }
    draft.end(length);
}

std::optional<Baseline> ParityTask::baseline(const Portion&) const
{
    return Baseline{std::numbers::ln2, m_options.everyStep ? "nats/token" : "nats/sequence", "chance level"};
}

std::vector<std::string> ParityTask::alphabet() const
{
    return m_options.published ? std::vector<std::string>{"0", "1", "2"} : std::vector<std::string>{"0", "1"};
}

std::string ParityTask::describe() const
{
    return fmt::format("parity of {} to {} bits; validation {} to {}", bits(m_options.shortest), stepsIn(Split::Train),
                       bits(m_options.validationShortest), stepsIn(Split::Validation));
}

std::string ParityTask::contentHash() const
{
    return fmt::format("parity-1:{}:{}:{}:{}:{}:{}{}", m_options.shortest, m_options.longest,
                       m_options.validationShortest, m_options.validationLongest,
                       m_options.everyStep ? "every" : "last", evaluationSequences(),
                       m_options.published ? ":published" : "");
}

std::shared_ptr<const GeneratedTask> ParityTask::ofLength(int64_t steps) const
{
    ParityOptions options = m_options;
    options.validationShortest = options.validationLongest = m_options.published ? steps + 1 : steps;
    return orNone(create(options));
}

} // namespace unroll
