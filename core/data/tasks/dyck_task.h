// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct DyckOptions {
    int64_t kinds = 2;                                        // k: kinds of brackets
    int64_t depth = 8;                                        // m: most brackets that are open at once
    int64_t shortest = 1, longest = 32;                       // pairs of brackets of a training sequence
    int64_t validationShortest = 33, validationLongest = 128; // and of a validation sequence
    int64_t evaluationSequences = 1000;
};

/// Dyck-(k, m) (Hewitt et al. 2020): well-nested brackets of k kinds, at most m of them open. A start sign, brackets,
/// an end sign; each step asks for the next one, and closing brackets alone count for the accuracy: the stack tells
/// their kind. Drawn from left to right: where some are open and another may be, the next bracket opens or closes, one
/// as likely as the other; where none is open, the sequence ends in one case of four, once it has `shortest` pairs.
/// What would not be closed within `longest` pairs is not opened. All kinds are equally likely. So a closing bracket is
/// never less likely than any other single sign that may come.
class DyckTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const DyckTask>> create(const DyckOptions& options);

    int64_t kinds() const { return m_options.kinds; }
    int64_t opening(int64_t kind) const { return 1 + kind; }
    int64_t closing(int64_t kind) const { return 1 + m_options.kinds + kind; }

    int64_t classes() const override { return 2 * m_options.kinds + 2; } // start, openings, closings, end
    int64_t steps() const override { return stepsIn(Split::Train); }
    std::optional<double> entropyFloor(const Portion& portion) const override;
    std::optional<double> entropyExpected(Split split) const override;
    /// Of who knows all but the kinds of closing brackets.
    std::optional<Baseline> baseline(const Portion& portion) const override;
    std::string describe() const override;
    std::vector<std::string> alphabet() const override;
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    /// Probabilities of the next sign's sort, in quarters.
    struct Odds {
        int64_t ends = 0, opens = 0, closes = 0;
    };
    /// The sequences of a portion: nats of the choices, signs asked for, closing brackets among them.
    struct Totals {
        double nats = 0;
        int64_t asked = 0, closings = 0;
    };

    explicit DyckTask(const DyckOptions& options)
        : GeneratedTask("dyck", options.evaluationSequences), m_options(options)
    {}
    int64_t shortest(Split split) const
    {
        return split == Split::Train ? m_options.shortest : m_options.validationShortest;
    }
    int64_t longest(Split split) const
    {
        return split == Split::Train ? m_options.longest : m_options.validationLongest;
    }
    int64_t stepsIn(Split split) const override;
    Odds odds(Split split, int64_t brackets, int64_t open) const;
    std::vector<int64_t> word(Split split, Random random, double* nats) const;
    void write(Draft draft, Split split, int64_t number, Random random) const override;
    Totals totals(const Portion& portion) const;

    DyckOptions m_options;
};

} // namespace unroll
