// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct ParityOptions {
    int64_t shortest = 3, longest = 40;                       // bits of a training sequence
    int64_t validationShortest = 40, validationLongest = 256; // and of a validation sequence
    bool everyStep = false;                                   // asked after each bit, or only after the last
    int64_t evaluationSequences = 1000;
};

/// Is the number of ones read so far odd? n bits, n uniform between shortest and longest; class 0 is the bit 0 or "even", class 1 the bit 1 or
/// "odd". The form of xLSTM's experiments (Beck et al. 2024), where n is drawn from 3 .. 40 for training and 40 .. 256 for the test.
class ParityTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const ParityTask>> create(const ParityOptions& options);

    int64_t classes() const override { return 2; }
    int64_t steps() const override { return m_options.longest; }
    std::optional<Baseline> baseline() const override; // ln 2
    std::string describe() const override;
    std::vector<std::string> alphabet() const override { return {"0", "1"}; }
    std::string contentHash() const override;

private:
    explicit ParityTask(const ParityOptions& options)
        : GeneratedTask("pari", options.evaluationSequences), m_options(options)
    {}
    int64_t stepsIn(Split split) const override;
    void write(Draft draft, Split split, Random random) const override;

    ParityOptions m_options;
};

} // namespace unroll
