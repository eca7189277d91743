// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct IrregularOptions {
    int64_t length = 40;     // T
    double unevenness = 0.9; // u: times between steps lie within 1 - u .. 1 + u
    int64_t evaluationSequences = 1000;
};

/// Sines that are seen at uneven times. Channel 0 is the value at the step before (at step 0 that at time 0), channel 1
/// the time since then, drawn uniformly from 1 - u .. 1 + u; asked for is the value now. A sequence has one sine of
/// amplitude 1, a period drawn from 4 .. 12 and a random phase: values alone do not say how far it has moved.
class IrregularTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const IrregularTask>> create(const IrregularOptions& options);

    int64_t classes() const override { return 0; }
    NumberFacts numbers() const override { return {.inputs = 2, .targets = 1, .shares = false}; }
    int64_t steps() const override { return m_options.length; }
    std::optional<double> entropyFloor(const Portion&) const override { return std::nullopt; } // errors are not nats
    std::optional<double> entropyExpected(Split) const override { return std::nullopt; }
    std::optional<Baseline> baseline(const Portion& portion) const override; // the last value again
    std::string describe() const override;
    std::vector<std::string> alphabet() const override { return {}; }
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    explicit IrregularTask(const IrregularOptions& options)
        : GeneratedTask("irrg", options.evaluationSequences), m_options(options)
    {}
    void write(Draft draft, Split split, int64_t number, Random random) const override;

    IrregularOptions m_options;
};

} // namespace unroll
