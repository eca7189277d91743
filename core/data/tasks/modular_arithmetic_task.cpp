// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/modular_arithmetic_task.h"

#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

/// Numbers stand at both ends.
int64_t oddLength(int64_t length)
{
    return length - (length + 1) % 2;
}

} // namespace

Result<std::shared_ptr<const ModularArithmeticTask>> ModularArithmeticTask::create(
    const ModularArithmeticOptions& options)
{
    constexpr int64_t digits = 10; // a label for each number
    for (const auto& check :
         {within("modulus", options.modulus, 2, digits), within("shortest", options.shortest, 1, kMostSteps),
          within("longest", options.longest, options.shortest, kMostSteps),
          within("validation_shortest", options.validationShortest, 1, kMostSteps),
          within("validation_longest", options.validationLongest, options.validationShortest, kMostSteps),
          evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const ModularArithmeticTask>(new ModularArithmeticTask(options));
}

int64_t ModularArithmeticTask::stepsIn(Split split) const
{
    return oddLength(split == Split::Train ? m_options.longest : m_options.validationLongest);
}

void ModularArithmeticTask::Value::read(Operator before, int64_t number, int64_t modulus)
{
    if (before == Operator::Times) {
        term = term * number % modulus;
        return;
    }
    closed = all(modulus);
    term = before == Operator::Plus ? number : (modulus - number) % modulus;
}

void ModularArithmeticTask::write(Draft draft, Split split, int64_t, Random random) const
{
    const bool trains = split == Split::Train;
    const int64_t length = oddLength(random.between(trains ? m_options.shortest : m_options.validationShortest,
                                                    trains ? m_options.longest : m_options.validationLongest));
    Value value;
    auto before = Operator::Plus; // of the first number
    for (int64_t t = 0; t < length; ++t) {
        if (t % 2 == 1) {
            const int64_t drawn = random.between(0, operators() - 1);
            before = static_cast<Operator>(drawn);
            draft.token(t, m_options.modulus + drawn);
            continue;
        }
        const int64_t number = random.between(0, m_options.modulus - 1);
        value.read(before, number, m_options.modulus);
        draft.token(t, number);
        if (m_options.everyNumber || t == length - 1)
            draft.ask(t, value.all(m_options.modulus));
    }
    draft.end(length);
}

std::optional<Baseline> ModularArithmeticTask::baseline(const Portion&) const
{
    return Baseline{std::log(static_cast<double>(m_options.modulus)),
                    m_options.everyNumber ? "nats/token" : "nats/sequence", "chance level"};
}

std::vector<std::string> ModularArithmeticTask::alphabet() const
{
    std::vector<std::string> labels;
    for (int64_t number = 0; number < m_options.modulus; ++number)
        labels.push_back(std::to_string(number));
    for (int64_t sign = 0; sign < operators(); ++sign)
        labels.emplace_back(1, "+-*"[sign]);
    return labels;
}

std::string ModularArithmeticTask::describe() const
{
    return fmt::format("modular arithmetic mod {} with {}, {} to {} symbols; validation {} to {}", m_options.modulus,
                       m_options.products ? "+ - *" : "+ -", oddLength(m_options.shortest), stepsIn(Split::Train),
                       oddLength(m_options.validationShortest), stepsIn(Split::Validation));
}

std::string ModularArithmeticTask::contentHash() const
{
    return fmt::format("modular-arithmetic-1:{}:{}:{}:{}:{}:{}:{}:{}", m_options.modulus,
                       m_options.products ? "products" : "sums", m_options.shortest, m_options.longest,
                       m_options.validationShortest, m_options.validationLongest,
                       m_options.everyNumber ? "every" : "last", evaluationSequences());
}

std::shared_ptr<const GeneratedTask> ModularArithmeticTask::ofLength(int64_t steps) const
{
    ModularArithmeticOptions options = m_options;
    options.validationShortest = options.validationLongest = steps;
    return orNone(create(options));
}

} // namespace unroll
