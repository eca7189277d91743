// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct AddingOptions {
    int64_t length = 100; // T
    int64_t evaluationSequences = 1000;
};

/// The adding problem (Hochreiter, Schmidhuber 1997): channel 0 is a number drawn uniformly from [0, 1) at every step,
/// channel 1 marks one step of each half with 1. The last step asks for the sum of the two marked numbers; who always
/// says 1 has a squared error of 1/6.
class AddingTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const AddingTask>> create(const AddingOptions& options);

    int64_t classes() const override { return 0; }
    NumberFacts numbers() const override { return {.inputs = 2, .targets = 1, .shares = false}; }
    int64_t steps() const override { return m_options.length; }
    std::optional<double> entropyFloor(const Portion&) const override { return std::nullopt; } // errors are not nats
    std::optional<double> entropyExpected(Split) const override { return std::nullopt; }
    std::optional<Baseline> baseline(const Portion& portion) const override;
    std::string describe() const override;
    std::vector<std::string> alphabet() const override { return {}; }
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    explicit AddingTask(const AddingOptions& options)
        : GeneratedTask("addg", options.evaluationSequences), m_options(options)
    {}
    void write(Draft draft, Split split, int64_t number, Random random) const override;

    AddingOptions m_options;
};

} // namespace unroll
