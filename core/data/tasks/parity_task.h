// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct ParityOptions {
    int64_t shortest = 3, longest = 40;                       // bits of a training sequence
    int64_t validationShortest = 40, validationLongest = 256; // and of a validation sequence
    bool everyStep = false;                                   // asked after each bit, or only after the last
    bool published = false;                                   // the form of the published files, see below
    int64_t evaluationSequences = 1000;
};

/// Is the number of ones read so far odd? n bits, n uniform between shortest and longest; class 0 is the bit 0 or
/// "even", class 1 the bit 1 or "odd". xLSTM's experiments (Beck et al. 2024) draw n from 3 .. 40 for training and 40
/// .. 256 for the test. In their form n counts the place of the answer too, the n - 1 bits and the answers are the
/// classes 1 and 2, and class 0 is padding.
class ParityTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const ParityTask>> create(const ParityOptions& options);

    int64_t classes() const override { return 2 + firstClass(); }
    int64_t steps() const override { return stepsIn(Split::Train); }
    std::optional<Baseline> baseline(const Portion& portion) const override; // ln 2
    std::string describe() const override;
    std::vector<std::string> alphabet() const override;
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    explicit ParityTask(const ParityOptions& options)
        : GeneratedTask("pari", options.evaluationSequences), m_options(options)
    {}
    int64_t firstClass() const { return m_options.published ? 1 : 0; }
    int64_t bits(int64_t length) const { return m_options.published ? length - 1 : length; }
    int64_t stepsIn(Split split) const override;
    void write(Draft draft, Split split, int64_t number, Random random) const override;

    ParityOptions m_options;
};

} // namespace unroll
