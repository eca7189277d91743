// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct CountingOptions {
    int64_t shortest = 1, longest = 20;                      // n in training
    int64_t validationShortest = 21, validationLongest = 60; // and in validation
    int64_t evaluationSequences = 1000;
    int64_t letters = 2; // 3: a^n b^n c^n
};

/// a^n b^n or a^n b^n c^n: a start sign, n times a, n times b, (n times c,) an end sign; each step asks for the next
/// one. From the first b on the rest is determined, and only that counts for the accuracy. n is uniform,
/// so no model can do better than ln(number of different n) nats per sequence.
class CountingTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const CountingTask>> create(const CountingOptions& options);

    int64_t classes() const override { return m_options.letters + 2; }
    int64_t steps() const override { return stepsIn(Split::Train); }
    std::optional<double> entropyFloor(const Portion& portion) const override;
    std::optional<double> entropyExpected(Split split) const override;
    std::string describe() const override;
    std::vector<std::string> alphabet() const override;
    int64_t letters() const { return m_options.letters; }
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    explicit CountingTask(const CountingOptions& options)
        : GeneratedTask("anbn", options.evaluationSequences), m_options(options)
    {}
    int64_t stepsIn(Split split) const override;
    void write(Draft draft, Split split, int64_t number, Random random) const override;
    int64_t shortest(Split split) const;
    int64_t longest(Split split) const;
    double natsOf(Split split) const; // of a sequence
    int64_t drawn(Split split, Random& random) const { return random.between(shortest(split), longest(split)); }

    CountingOptions m_options;
};

} // namespace unroll
