// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct ModularArithmeticOptions {
    int64_t modulus = 5;
    bool products = true;                                     // + - * or + - alone
    int64_t shortest = 1, longest = 40;                       // numbers and operators of a training sequence
    int64_t validationShortest = 41, validationLongest = 500; // and of a validation sequence
    bool everyNumber = false;                                 // asked after each number, or only after the last
    int64_t evaluationSequences = 1000;
};

/// What is 1 + 2 - 4 * 3 mod 5? Numbers and operators in turn, without brackets; a product counts before a sum. The
/// length is uniform; an even one is shortened by 1, as in Deletang et al. 2023, who train on 1 .. 40 and test on 41 ..
/// 500.
class ModularArithmeticTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const ModularArithmeticTask>> create(const ModularArithmeticOptions& options);

    enum class Operator : int64_t { Plus, Minus, Times };

    /// The expression that has been read: `closed` is the sum of all terms but the last, `term` that one with its sign,
    /// both mod the modulus.
    struct Value {
        int64_t closed = 0, term = 0;

        int64_t all(int64_t modulus) const { return (closed + term) % modulus; }
        void read(Operator before, int64_t number, int64_t modulus);
    };

    int64_t modulus() const { return m_options.modulus; }

    int64_t classes() const override { return m_options.modulus + operators(); } // numbers, then operators
    int64_t steps() const override { return stepsIn(Split::Train); }
    std::optional<Baseline> baseline(const Portion& portion) const override; // ln of the modulus
    std::string describe() const override;
    std::vector<std::string> alphabet() const override;
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    explicit ModularArithmeticTask(const ModularArithmeticOptions& options)
        : GeneratedTask("moda", options.evaluationSequences), m_options(options)
    {}
    int64_t operators() const { return m_options.products ? 3 : 2; }
    int64_t stepsIn(Split split) const override;
    void write(Draft draft, Split split, int64_t number, Random random) const override;

    ModularArithmeticOptions m_options;
};

} // namespace unroll
