// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/vector_copy_task.h"

#include <fmt/format.h>
#include <numbers>

namespace unroll {

Result<std::shared_ptr<const VectorCopyTask>> VectorCopyTask::create(const VectorCopyOptions& options)
{
    for (const auto& check : {within("bits", options.bits, 1, 1024), within("length", options.length, 1, kMostSteps),
                              within("delay", options.delay, 0, kMostSteps), evaluates(options.evaluationSequences)})
        if (!check)
            return tl::unexpected(check.error());
    return std::shared_ptr<const VectorCopyTask>(new VectorCopyTask(options));
}

void VectorCopyTask::write(Draft draft, Split, int64_t, Random random) const
{
    const int64_t recall = m_options.length + m_options.delay;
    for (int64_t t = 0; t < m_options.length; ++t)
        for (int64_t bit = 0; bit < m_options.bits; ++bit) {
            const auto value = static_cast<float>(random.between(0, 1));
            draft.feature(t, bit, value);
            draft.askValue(recall + t, bit, value);
        }
    draft.feature(recall, m_options.bits, 1);
}

std::optional<Baseline> VectorCopyTask::baseline(const Portion&) const
{
    return Baseline{std::numbers::ln2, "nats/target", "chance level"};
}

std::string VectorCopyTask::describe() const
{
    return fmt::format("copy of {} vectors of {} bits, delay {}, {} steps", m_options.length, m_options.bits,
                       m_options.delay, steps());
}

std::string VectorCopyTask::contentHash() const
{
    return fmt::format("vector-copy-1:{}:{}:{}:{}", m_options.bits, m_options.length, m_options.delay,
                       evaluationSequences());
}

std::shared_ptr<const GeneratedTask> VectorCopyTask::ofLength(int64_t steps) const
{
    VectorCopyOptions options = m_options;
    options.delay = steps - 2 * options.length;
    return orNone(create(options));
}

} // namespace unroll
