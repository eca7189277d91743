// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct VectorCopyOptions {
    int64_t bits = 7;
    int64_t length = 20; // vectors to be remembered
    int64_t delay = 8;   // blank steps between the last of them and the signal to recall
    int64_t evaluationSequences = 1000;
};

/// The copy task with vectors of bits, as the LRU is tried with: `length` random vectors, `delay` blank steps, then a
/// signal on a channel of its own, and from that step on the vectors are asked for in their order. T = 2 * length +
/// delay. The sizes are those of minimal-LRU.
class VectorCopyTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const VectorCopyTask>> create(const VectorCopyOptions& options);

    int64_t classes() const override { return 0; }
    NumberFacts numbers() const override
    {
        return {.inputs = m_options.bits + 1, .targets = m_options.bits, .shares = true};
    }
    int64_t steps() const override { return 2 * m_options.length + m_options.delay; }
    std::optional<Baseline> baseline(const Portion& portion) const override; // ln 2
    std::string describe() const override;
    std::vector<std::string> alphabet() const override { return {}; }
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    explicit VectorCopyTask(const VectorCopyOptions& options)
        : GeneratedTask("vcpy", options.evaluationSequences), m_options(options)
    {}
    void write(Draft draft, Split split, int64_t number, Random random) const override;

    VectorCopyOptions m_options;
};

} // namespace unroll
