// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/modular_arithmetic_task.h"

#include <algorithm>
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
    constexpr int64_t digits = 10, deepest = 100; // a label for each number
    for (const auto& check :
         {within("modulus", options.modulus, 2, digits), within("shortest", options.shortest, 1, kMostSteps),
          within("longest", options.longest, options.shortest, kMostSteps),
          within("validation_shortest", options.validationShortest, 1, kMostSteps),
          within("validation_longest", options.validationLongest, options.validationShortest, kMostSteps),
          within("depth", options.depth, 1, deepest), evaluates(options.evaluationSequences)})
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

void ModularArithmeticTask::Expression::readNumber(int64_t number)
{
    Level& level = m_levels.back();
    level.value.read(level.before, number, m_task.modulus());
    level.begun = true;
}

void ModularArithmeticTask::Expression::read(int64_t token)
{
    if (token < m_task.modulus()) {
        readNumber(token);
    } else if (token < m_task.opening()) {
        m_levels.back().before = static_cast<Operator>(token - m_task.modulus());
        m_levels.back().operated = true;
    } else if (token == m_task.opening()) {
        m_levels.emplace_back();
    } else if (depth() > 0) {
        const int64_t value = innermost().value.all(m_task.modulus());
        m_levels.pop_back();
        readNumber(value);
    }
}

int64_t ModularArithmeticTask::Expression::lacking() const
{
    return std::count_if(m_levels.begin() + 1, m_levels.end(), [](const Level& level) { return !level.operated; });
}

/// `left`: symbols to come, this one included. Open brackets still need their end, and an operator with a number where
/// they have none: what leaves no room for these is not drawn.
int64_t ModularArithmeticTask::nextToken(const Expression& read, bool operand, int64_t left, Random& random) const
{
    const int64_t needed = read.depth() + 2 * read.lacking();
    if (operand) {
        const bool mayOpen = brackets() && read.depth() < m_options.depth && left >= needed + 5; // (1+1)
        return mayOpen && random.between(0, 2) == 0 ? opening() : random.between(0, modulus() - 1);
    }
    const bool inBracket = read.depth() > 0, operated = read.innermost().operated;
    const bool mayClose = inBracket && operated, mayGoOn = left >= needed + (inBracket && !operated ? 0 : 2);
    if (mayClose && (!mayGoOn || random.between(0, 1) == 0))
        return closing();
    return modulus() + random.between(0, operators() - 1);
}

void ModularArithmeticTask::write(Draft draft, Split split, int64_t, Random random) const
{
    const bool trains = split == Split::Train;
    const int64_t length = oddLength(random.between(trains ? m_options.shortest : m_options.validationShortest,
                                                    trains ? m_options.longest : m_options.validationLongest));
    Expression read(*this);
    bool operand = true; // comes next: a number, or a bracket that opens
    for (int64_t t = 0; t < length; ++t) {
        const int64_t token = nextToken(read, operand, length - t, random);
        read.read(token);
        draft.token(t, token);
        operand = token == opening() || (token >= modulus() && token < opening());
        if (t == length - 1 || (m_options.everyNumber && !operand && read.depth() == 0))
            draft.ask(t, read.innermost().value.all(modulus()));
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
    if (brackets())
        labels.insert(labels.end(), {"(", ")"});
    return labels;
}

std::string ModularArithmeticTask::describe() const
{
    const std::string brackets =
        m_options.brackets ? fmt::format(" and brackets, at most {} open", m_options.depth) : std::string();
    return fmt::format("modular arithmetic mod {} with {}{}, {} to {} symbols; validation {} to {}", m_options.modulus,
                       m_options.products ? "+ - *" : "+ -", brackets, oddLength(m_options.shortest),
                       stepsIn(Split::Train), oddLength(m_options.validationShortest), stepsIn(Split::Validation));
}

std::string ModularArithmeticTask::contentHash() const
{
    const std::string brackets = m_options.brackets ? fmt::format(":brackets:{}", m_options.depth) : std::string();
    return fmt::format("modular-arithmetic-1:{}:{}:{}:{}:{}:{}:{}:{}{}", m_options.modulus,
                       m_options.products ? "products" : "sums", m_options.shortest, m_options.longest,
                       m_options.validationShortest, m_options.validationLongest,
                       m_options.everyNumber ? "every" : "last", evaluationSequences(), brackets);
}

std::shared_ptr<const GeneratedTask> ModularArithmeticTask::ofLength(int64_t steps) const
{
    ModularArithmeticOptions options = m_options;
    options.validationShortest = options.validationLongest = steps;
    return orNone(create(options));
}

} // namespace unroll
