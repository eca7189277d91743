// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/copy_task.h"

#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr int64_t kMostSymbols = 52; // a label for each: a .. z, A .. Z

char symbolLabel(int64_t symbol)
{
    return static_cast<char>(symbol < 26 ? 'a' + symbol : 'A' + symbol - 26);
}

} // namespace

Result<std::shared_ptr<const CopyTask>> CopyTask::create(const CopyOptions& options)
{
    for (const auto& check :
         {within("symbols", options.symbols, 2, kMostSymbols), within("length", options.length, 1, kMostSteps),
          within("delay", options.delay, 1, kMostSteps), evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const CopyTask>(new CopyTask(options));
}

void CopyTask::write(Draft draft, Split, int64_t, Random random) const
{
    const int64_t recall = m_options.delay + m_options.length;
    for (int64_t t = 0; t < steps(); ++t) {
        draft.token(t, blank());
        draft.ask(t, blank(), t >= recall);
    }
    for (int64_t i = 0; i < m_options.length; ++i) {
        const auto symbol = static_cast<int64_t>(random.below(static_cast<uint64_t>(m_options.symbols)));
        draft.token(i, symbol);
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
    return fmt::format("copy task: {} of {} symbols, delay {}, {} steps", m_options.length, m_options.symbols,
                       m_options.delay, steps());
}

std::vector<std::string> CopyTask::alphabet() const
{
    std::vector<std::string> labels;
    for (int64_t i = 0; i < m_options.symbols; ++i)
        labels.emplace_back(1, symbolLabel(i));
    labels.emplace_back("_");
    labels.emplace_back("|");
    return labels;
}

std::string CopyTask::contentHash() const
{
    return fmt::format("copy-1:{}:{}:{}:{}", m_options.symbols, m_options.length, m_options.delay,
                       evaluationSequences());
}

} // namespace unroll
