// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/word_problem_task.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace unroll {
namespace {

/// In the order of the published vocabulary, after the elements.
constexpr const char* kSpecialTokens[] = {"[PAD]", "[BOS]", "[UNK]", "[EOS]", "[SEP]", "[CLS]", "[MASK]"};
constexpr int64_t kBegin = 1;          // of them
constexpr uint64_t kHeldOutOf = 5;     // one sequence in so many
constexpr double kFewSequences = 1000; // of which one in five may well be none
constexpr int64_t kMostSequences = 1'000'000'000;

bool isHeldOut(const std::vector<int64_t>& elements)
{
    uint64_t key = elements.size();
    for (const int64_t element : elements)
        key = splitMix64(key) ^ static_cast<uint64_t>(element);
    return splitMix64(key) % kHeldOutOf == 0;
}

/// How many elements `tokens` hold where each is written `repeat` times; the last perhaps not as often.
int64_t elementsIn(int64_t tokens, int64_t repeat)
{
    return (tokens - 1) / repeat + 1;
}

} // namespace

Result<std::shared_ptr<const WordProblemTask>> WordProblemTask::create(const WordProblemOptions& options)
{
    const int64_t least = options.shorter == WordProblemOptions::Shorter::None ? 1 : 2;
    for (const auto& check :
         {within("length", options.length, least, kMostSteps),
          within("validation_length", options.validationLength, 1, kMostSteps), evaluates(options.evaluationSequences),
          within("repeat", options.repeat, 1, kMostSteps),
          within("training_sequences", options.trainingSequences, 0, kMostSequences), checkSwaps(options)})
        if (!check)
            return tl::unexpected(check.error());
    auto group = FiniteGroup::named(options.group);
    if (!group)
        return fail(
            fmt::format("expected a group as z60, s3, a5 or a4xz5, of at most 120 elements; got '{}'", options.group),
            "group");
    const std::shared_ptr<WordProblemTask> task(new WordProblemTask(options, std::move(*group)));
    if (const auto check = options.trainingSequences > 0 ? task->checkSet() : task->checkHeldOut(); !check)
        return tl::unexpected(check.error());
    task->countSet();
    return task;
}

WordProblemTask::WordProblemTask(const WordProblemOptions& options, FiniteGroup group)
    : GeneratedTask("word", options.evaluationSequences),
      m_options(options),
      m_group(std::move(group)),
      m_elements(static_cast<size_t>(m_group.order()))
{
    std::iota(m_elements.begin(), m_elements.end(), 0);
    if (options.swapsOnly)
        m_elements = m_group.swaps();
}

Result<void> WordProblemTask::checkSwaps(const WordProblemOptions& options)
{
    if (options.swapsOnly && (!options.group.starts_with('s') || options.group.find('x') != std::string::npos))
        return fail(fmt::format("{} has no transpositions; s3, s4 and s5 have", options.group), "elements");
    return {};
}

Result<void> WordProblemTask::checkHeldOut() const
{
    if (!m_options.heldOut)
        return {};
    for (const int64_t length : {m_options.length, m_options.validationLength}) {
        const auto factors = static_cast<double>(elementsIn(length, m_options.repeat));
        const double sequences = std::pow(static_cast<double>(m_elements.size()), factors);
        if (sequences < kFewSequences)
            return fail(fmt::format("{} steps give {} sequences, too few to hold out a fifth; expected {} or more",
                                    length, sequences, kFewSequences),
                        "held_out");
    }
    return {};
}

/// Validation takes the last of the numbers, training the first.
int64_t WordProblemTask::leftForTraining(int64_t length) const
{
    const auto elements = [this](int64_t steps) { return elementsIn(steps, m_options.repeat); };
    const bool shared = elements(length) == elements(m_options.validationLength);
    return words(length).size() - (shared ? evaluationSequences() : 0);
}

Result<void> WordProblemTask::checkSet() const
{
    const int64_t there = words(m_options.length).size(), validation = words(m_options.validationLength).size();
    if (evaluationSequences() > validation)
        return fail(fmt::format("{} has {} distinct sequences of {} steps; got {}", m_options.group, validation,
                                m_options.validationLength, evaluationSequences()),
                    "evaluation_sequences");
    const int64_t most = leftForTraining(m_options.length);
    if (m_options.trainingSequences <= most)
        return {};
    const std::string taken =
        most < there ? fmt::format(", of which validation has {}", evaluationSequences()) : std::string();
    return fail(fmt::format("{} has {} distinct sequences of {} steps{}; expected at most {}, got {}", m_options.group,
                            there, m_options.length, taken, most, m_options.trainingSequences),
                "training_sequences");
}

/// Of a set without repetition the test takes what training and validation have left.
bool WordProblemTask::has(Split split) const
{
    if (split != Split::Test || m_parts.empty())
        return true;
    const auto elements = [this](int64_t steps) { return elementsIn(steps, m_options.repeat); };
    int64_t left = words(m_options.validationLength).size() - evaluationSequences();
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        if (elements(m_parts[i].length) == elements(m_options.validationLength))
            left -= m_parts[i].end - (i == 0 ? 0 : m_parts[i - 1].end);
    return left >= evaluationSequences();
}

/// Of each shorter length as many as of the full one, or all that there are and validation has not.
void WordProblemTask::countSet()
{
    using Shorter = WordProblemOptions::Shorter;
    if (m_options.trainingSequences == 0)
        return;
    const int64_t length = m_options.length;
    const int64_t last = m_options.shorter == Shorter::None ? 1 : m_options.shorter == Shorter::Two ? 2 : length - 1;
    int64_t end = 0;
    for (int64_t shorter = 2; shorter <= last && shorter < length; ++shorter)
        m_parts.push_back({shorter, end += std::min(m_options.trainingSequences, leftForTraining(shorter))});
    m_parts.push_back({length, end + m_options.trainingSequences});
}

std::optional<int64_t> WordProblemTask::trainingSequences() const
{
    return m_parts.empty() ? std::nullopt : std::optional(m_parts.back().end);
}

NumberedWords WordProblemTask::words(int64_t length) const
{
    const int64_t elements = elementsIn(length, m_options.repeat);
    return {std::ssize(m_elements), elements, setKeys(elements)};
}

int64_t WordProblemTask::classes() const
{
    return m_group.order() + (m_options.specialTokens ? std::ssize(kSpecialTokens) : 0);
}

std::vector<std::string> WordProblemTask::alphabet() const
{
    std::vector<std::string> labels = m_group.labels();
    if (m_options.specialTokens)
        labels.insert(labels.end(), std::begin(kSpecialTokens), std::end(kSpecialTokens));
    return labels;
}

int64_t WordProblemTask::stepsIn(Split split) const
{
    return (split == Split::Train ? m_options.length : m_options.validationLength) + (m_options.specialTokens ? 1 : 0);
}

int64_t WordProblemTask::lengthOf(Split split, Random& random) const
{
    using Shorter = WordProblemOptions::Shorter;
    if (split != Split::Train)
        return m_options.validationLength;
    switch (m_options.shorter) {
    case Shorter::Two: return random.between(0, 1) == 0 ? 2 : m_options.length;
    case Shorter::All: return random.between(2, m_options.length);
    default: return m_options.length;
    }
}

/// Of what is held out only full-length sequences are: the shorter ones are all trained on.
std::vector<int64_t> WordProblemTask::draw(int64_t count, Split split, Random& random) const
{
    std::vector<int64_t> drawn(static_cast<size_t>(count));
    const bool whole = split != Split::Train || count == elementsIn(m_options.length, m_options.repeat);
    do
        for (int64_t& element : drawn)
            element = m_elements[random.below(m_elements.size())];
    while (m_options.heldOut && whole && isHeldOut(drawn) == (split == Split::Train));
    return drawn;
}

WordProblemTask::Word WordProblemTask::wordOf(Split split, int64_t number, Random random) const
{
    if (!m_parts.empty())
        return numbered(split, number, random);
    const int64_t length = lengthOf(split, random);
    return {length, draw(elementsIn(length, m_options.repeat), split, random)};
}

WordProblemTask::Word WordProblemTask::numbered(Split split, int64_t number, Random random) const
{
    Word word{m_options.validationLength, {}};
    if (split != Split::Train) {
        const NumberedWords all = words(word.length);
        const int64_t taken = split == Split::Test ? evaluationSequences() : 0; // by validation
        word.elements = all.word(all.size() - 1 - taken - number, random);
    } else {
        const auto part = std::ranges::upper_bound(m_parts, number, {}, &Part::end);
        word.length = part->length;
        word.elements = words(word.length).word(part == m_parts.begin() ? number : number - (part - 1)->end, random);
    }
    for (int64_t& element : word.elements)
        element = m_elements[static_cast<size_t>(element)];
    return word;
}

void WordProblemTask::write(Draft draft, Split split, int64_t number, Random random) const
{
    const auto [length, elements] = wordOf(split, number, random);
    const int64_t first = m_options.specialTokens ? 1 : 0;
    if (m_options.specialTokens) {
        draft.token(0, m_group.order() + kBegin);
        draft.ask(0, m_group.order() + kBegin, false);
    }
    int64_t product = 0;
    for (int64_t t = 0; t < length; ++t) {
        const int64_t element = elements[static_cast<size_t>(t / m_options.repeat)];
        if ((t + 1) % m_options.repeat == 0)
            product = m_group.product(product, element);
        draft.token(first + t, element);
        draft.ask(first + t, product);
    }
    if (first + length < stepsIn(split))
        draft.end(first + length);
}

/// The sign that begins a sequence is always the same, so that it costs nothing.
std::optional<Baseline> WordProblemTask::baseline(const Portion& portion) const
{
    double share = 1; // of the targets that are elements
    if (m_options.specialTokens) {
        int64_t targets = 0, elements = 0;
        readPortion(portion, [&](const Batch& batch) {
            targets += batch.scoredTargets();
            elements += std::count(batch.scored.begin(), batch.scored.end(), uint8_t{1});
        });
        share = static_cast<double>(elements) / static_cast<double>(targets);
    }
    return Baseline{share * std::log(static_cast<double>(m_group.order())), "nats/token", "chance level"};
}

std::string WordProblemTask::describe() const
{
    const std::string set = m_parts.empty() ? "" : fmt::format(", {} distinct sequences", m_options.trainingSequences);
    return fmt::format("word problem of {} ({} elements{}), {} steps{}; validation {}{}", m_options.group,
                       m_group.order(), m_options.swapsOnly ? ", transpositions only" : "", m_options.length, set,
                       m_options.validationLength, m_options.heldOut || !m_parts.empty() ? ", held out" : "");
}

std::string WordProblemTask::contentHash() const
{
    const WordProblemOptions& o = m_options;
    std::string hash =
        fmt::format("word-problem-1:{}:{}:{}:{}", o.group, o.length, o.validationLength, evaluationSequences());
    if (o.swapsOnly || o.repeat > 1 || o.specialTokens || o.heldOut || o.shorter != WordProblemOptions::Shorter::None)
        hash += fmt::format(":{}:{}:{}:{}:{}", o.swapsOnly, o.repeat, o.specialTokens, o.heldOut,
                            static_cast<int>(o.shorter));
    if (o.trainingSequences > 0)
        hash += fmt::format(":set-of-{}", o.trainingSequences);
    return hash;
}

std::shared_ptr<const GeneratedTask> WordProblemTask::ofLength(int64_t steps) const
{
    WordProblemOptions options = m_options;
    options.validationLength = m_options.specialTokens ? steps - 1 : steps;
    return orNone(create(options));
}

} // namespace unroll
