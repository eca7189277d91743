// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/copy_task.h"

#include "core/data/tasks/symbol_labels.h"

#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace unroll {

Result<std::shared_ptr<const CopyTask>> CopyTask::create(const CopyOptions& options)
{
    for (const auto& check :
         {within("symbols", options.symbols, 2, kMostSymbols), within("length", options.length, 1, kMostSteps),
          within("delay", options.delay, 1, kMostSteps), evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const CopyTask>(new CopyTask(options));
}

/// Of the selective form by selection sampling (Knuth, The Art of Computer Programming 2, algorithm S).
std::vector<int64_t> CopyTask::symbolPlaces(Random& random) const
{
    std::vector<int64_t> places(static_cast<size_t>(m_options.length));
    std::iota(places.begin(), places.end(), int64_t{0});
    if (!m_options.selective)
        return places;
    const int64_t all = m_options.delay + m_options.length - 1;
    size_t chosen = 0;
    for (int64_t place = 0; chosen < places.size(); ++place)
        if (random.below(static_cast<uint64_t>(all - place)) < places.size() - chosen)
            places[chosen++] = place;
    return places;
}

void CopyTask::write(Draft draft, Split, int64_t, Random random) const
{
    const int64_t recall = m_options.delay + m_options.length;
    for (int64_t t = 0; t < steps(); ++t) {
        draft.token(t, blank());
        draft.ask(t, blank(), t >= recall);
    }
    const std::vector<int64_t> at = symbolPlaces(random);
    for (int64_t i = 0; i < m_options.length; ++i) {
        const auto symbol = static_cast<int64_t>(random.below(static_cast<uint64_t>(m_options.symbols)));
        draft.token(at[static_cast<size_t>(i)], symbol);
        draft.ask(recall + i, symbol);
    }
    draft.token(recall - 1, delimiter());
}

std::optional<Baseline> CopyTask::baseline(const Portion&) const
{
    return Baseline{static_cast<double>(m_options.length) * std::log(static_cast<double>(m_options.symbols)) /
                        static_cast<double>(steps()),
                    "nats/token", "best memoryless prediction"};
}

std::string CopyTask::describe() const
{
    return fmt::format("{}: {} of {} symbols, delay {}, {} steps",
                       m_options.selective ? "selective copying" : "copy task", m_options.length, m_options.symbols,
                       m_options.delay, steps());
}

std::vector<std::string> CopyTask::alphabet() const
{
    std::vector<std::string> labels = symbolLabels(m_options.symbols);
    labels.emplace_back("_");
    labels.emplace_back("|");
    return labels;
}

std::string CopyTask::contentHash() const
{
    return fmt::format("copy-1:{}:{}:{}:{}{}", m_options.symbols, m_options.length, m_options.delay,
                       evaluationSequences(), m_options.selective ? ":selective" : "");
}

std::shared_ptr<const GeneratedTask> CopyTask::ofLength(int64_t steps) const
{
    CopyOptions options = m_options;
    options.delay = steps - 2 * options.length;
    return orNone(create(options));
}

} // namespace unroll
