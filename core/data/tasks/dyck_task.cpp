// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/dyck_task.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr int64_t kDyckStart = 0, kQuarters = 4;

double shareOf(int64_t quarters)
{
    return static_cast<double>(quarters) / static_cast<double>(kQuarters);
}

/// -p ln p
double natsOfQuarters(int64_t quarters)
{
    return quarters == 0 ? 0 : -shareOf(quarters) * std::log(shareOf(quarters));
}

} // namespace

Result<std::shared_ptr<const DyckTask>> DyckTask::create(const DyckOptions& options)
{
    constexpr int64_t mostKinds = 128, deepest = 100, most = kMostSteps / 2 - 1;
    for (const auto& check :
         {within("kinds", options.kinds, 2, mostKinds), within("depth", options.depth, 1, deepest),
          within("shortest", options.shortest, 1, most), within("longest", options.longest, options.shortest, most),
          within("validation_shortest", options.validationShortest, 1, most),
          within("validation_longest", options.validationLongest, options.validationShortest, most),
          evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const DyckTask>(new DyckTask(options));
}

/// The end is asked for, not read.
int64_t DyckTask::stepsIn(Split split) const
{
    return 2 * longest(split) + 1;
}

/// After so many brackets, of which so many are open.
DyckTask::Odds DyckTask::odds(Split split, int64_t brackets, int64_t open) const
{
    const int64_t left = 2 * longest(split) - brackets;
    if (open == 0) {
        const int64_t ends = left == 0 ? kQuarters : brackets < 2 * shortest(split) ? 0 : 1;
        return {.ends = ends, .opens = kQuarters - ends};
    }
    const int64_t opens = open == m_options.depth || open == left ? 0 : kQuarters / 2;
    return {.opens = opens, .closes = kQuarters - opens};
}

/// A sequence with its end, but without its start. `cost`, where it is given: what its choices cost who knows the rule.
std::vector<int64_t> DyckTask::word(Split split, Random random, double* cost) const
{
    std::vector<int64_t> signs, open; // kinds
    const auto drawn = [&](int64_t of) { return static_cast<int64_t>(random.below(static_cast<uint64_t>(of))); };
    for (;;) {
        const Odds next = odds(split, std::ssize(signs), std::ssize(open));
        const int64_t most = std::max({next.ends, next.opens, next.closes});
        const int64_t draw = most == kQuarters ? 0 : drawn(kQuarters); // what is certain draws nothing
        const bool ends = draw < next.ends, opens = !ends && draw < next.ends + next.opens;
        if (cost != nullptr)
            *cost -= std::log(shareOf(ends ? next.ends : opens ? next.opens : next.closes));
        if (ends) {
            signs.push_back(classes() - 1);
            return signs;
        }
        if (opens) {
            open.push_back(drawn(m_options.kinds));
            signs.push_back(opening(open.back()));
            if (cost != nullptr)
                *cost += std::log(static_cast<double>(m_options.kinds));
        } else {
            signs.push_back(closing(open.back()));
            open.pop_back();
        }
    }
}

void DyckTask::write(Draft draft, Split split, int64_t, Random random) const
{
    const std::vector<int64_t> signs = word(split, random, nullptr);
    draft.token(0, kDyckStart);
    for (int64_t t = 0; t < std::ssize(signs); ++t) {
        const int64_t sign = signs[static_cast<size_t>(t)];
        draft.ask(t, sign, sign >= closing(0) && sign < classes() - 1);
        if (t + 1 < std::ssize(signs))
            draft.token(t + 1, sign);
    }
    draft.end(std::ssize(signs));
}

DyckTask::Totals DyckTask::totals(const Portion& portion) const
{
    Totals totals;
    readStreams(portion, [&](Split split, Random random) {
        const int64_t asked = std::ssize(word(split, random, &totals.nats));
        totals.asked += asked;
        totals.closings += asked / 2;
    });
    return totals;
}

std::optional<double> DyckTask::entropyFloor(const Portion& portion) const
{
    const Totals all = totals(portion);
    return all.nats / static_cast<double>(all.asked);
}

/// Over all that may have been read: how likely each number of open brackets is after so many brackets, what the next
/// sign costs there, and how many sequences go on that long.
std::optional<double> DyckTask::entropyExpected(Split split) const
{
    if (split == Split::All)
        return std::nullopt; // of sequences of several kinds
    const double kinds = std::log(static_cast<double>(m_options.kinds));
    std::vector<double> likely(static_cast<size_t>(m_options.depth) + 2),
        next; // one more, so that its neighbour exists
    likely[0] = 1;
    double cost = 0, asked = 0;
    for (int64_t brackets = 0; brackets <= 2 * longest(split); ++brackets) {
        next.assign(likely.size(), 0);
        for (int64_t open = 0; open <= m_options.depth; ++open) {
            const auto here = static_cast<size_t>(open);
            if (likely[here] == 0)
                continue;
            const Odds odd = odds(split, brackets, open);
            cost += likely[here] * (natsOfQuarters(odd.ends) + natsOfQuarters(odd.opens) + natsOfQuarters(odd.closes) +
                                    shareOf(odd.opens) * kinds);
            asked += likely[here];
            next[here + 1] += likely[here] * shareOf(odd.opens);
            if (open > 0)
                next[here - 1] += likely[here] * shareOf(odd.closes);
        }
        likely.swap(next);
    }
    return cost / asked;
}

std::optional<Baseline> DyckTask::baseline(const Portion& portion) const
{
    const Totals all = totals(portion);
    const double guessed = static_cast<double>(all.closings) * std::log(static_cast<double>(m_options.kinds));
    return Baseline{(all.nats + guessed) / static_cast<double>(all.asked), "nats/token", "kinds guessed"};
}

/// "(", "[" and "{" of up to three kinds; of more "(01", "(02" ...
std::vector<std::string> DyckTask::alphabet() const
{
    const bool few = m_options.kinds <= 3;
    const size_t digits = few ? 0 : std::to_string(m_options.kinds).size();
    std::vector<std::string> labels{std::string(digits + 1, '<')};
    for (const std::string_view signs : {"([{", ")]}"})
        for (int64_t kind = 0; kind < m_options.kinds; ++kind)
            labels.push_back(few ? std::string(1, signs[static_cast<size_t>(kind)])
                                 : fmt::format("{}{:0{}}", signs[0], kind + 1, digits));
    labels.emplace_back(digits + 1, '>');
    return labels;
}

std::string DyckTask::describe() const
{
    return fmt::format("Dyck-{} of depth {} at most, {} to {} pairs; validation {} to {}", m_options.kinds,
                       m_options.depth, m_options.shortest, m_options.longest, m_options.validationShortest,
                       m_options.validationLongest);
}

std::string DyckTask::contentHash() const
{
    return fmt::format("dyck-1:{}:{}:{}:{}:{}:{}:{}", m_options.kinds, m_options.depth, m_options.shortest,
                       m_options.longest, m_options.validationShortest, m_options.validationLongest,
                       evaluationSequences());
}

std::shared_ptr<const GeneratedTask> DyckTask::ofLength(int64_t steps) const
{
    DyckOptions options = m_options;
    options.validationShortest = options.validationLongest = std::max<int64_t>((steps - 1) / 2, 1);
    return orNone(create(options));
}

} // namespace unroll
