// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/word_problem_task.h"

#include <cmath>
#include <fmt/format.h>

namespace unroll {

Result<std::shared_ptr<const WordProblemTask>> WordProblemTask::create(const WordProblemOptions& options)
{
    for (const auto& check :
         {within("length", options.length, 1, mostSteps),
          within("validation_length", options.validationLength, 1, mostSteps), evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    auto group = FiniteGroup::named(options.group);
    if (!group)
        return fail(
            fmt::format("expected a group as z60, s3, a5 or a4xz5, of at most 120 elements; got '{}'", options.group),
            "group");
    return std::shared_ptr<const WordProblemTask>(new WordProblemTask(options, std::move(*group)));
}

int64_t WordProblemTask::stepsIn(Split split) const
{
    return split == Split::Train ? m_options.length : m_options.validationLength;
}

void WordProblemTask::write(Draft draft, Split split, Random random) const
{
    int64_t product = 0;
    for (int64_t t = 0; t < stepsIn(split); ++t) {
        const int64_t element = random.between(0, m_group.order() - 1);
        product = m_group.product(product, element);
        draft.token(t, element);
        draft.ask(t, product);
    }
}

std::optional<Baseline> WordProblemTask::baseline() const
{
    return Baseline{std::log(static_cast<double>(m_group.order())), "nats a token", "an element by chance"};
}

std::string WordProblemTask::describe() const
{
    return fmt::format("word problem of {} ({} elements), {} steps; validation {}", m_options.group, m_group.order(),
                       m_options.length, m_options.validationLength);
}

std::string WordProblemTask::contentHash() const
{
    return fmt::format("word-problem-1:{}:{}:{}:{}", m_options.group, m_options.length, m_options.validationLength,
                       evaluationSequences());
}

} // namespace unroll
