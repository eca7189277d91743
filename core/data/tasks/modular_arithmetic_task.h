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
    bool everyNumber = false; // asked after each number, with brackets where none is open; or only after the last
    int64_t evaluationSequences = 1000;
    bool brackets = false;
    int64_t depth = 4; // most brackets that are open at once
};

/// What is 1 + 2 - 4 * 3 mod 5? Numbers and operators in turn; a product counts before a sum. With brackets an operand
/// is an expression in brackets in one case of three, where depth and length leave room: "(", at least two operands,
/// ")"; from two operands on it goes on or closes, one as likely as the other. The length, brackets included, is
/// uniform; an even one is shortened by 1, as in Deletang et al. 2023, who train on 1 .. 40 and test on 41 .. 500.
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

    /// What is in the innermost open bracket so far, or outside of all.
    struct Level {
        Value value;
        Operator before = Operator::Plus; // of the next number
        bool begun = false;               // it has a number
        bool operated = false;            // and an operator
    };

    /// An expression while it is read: levels from the outermost to the innermost.
    class Expression {
    public:
        explicit Expression(const ModularArithmeticTask& task) : m_task(task) {}

        void read(int64_t token);
        const Level& innermost() const { return m_levels.back(); }
        int64_t depth() const { return std::ssize(m_levels) - 1; } // open brackets
        /// Open brackets that lack an operator as yet.
        int64_t lacking() const;

    private:
        void readNumber(int64_t number);

        const ModularArithmeticTask& m_task;
        std::vector<Level> m_levels{1};
    };

    int64_t modulus() const { return m_options.modulus; }
    bool brackets() const { return m_options.brackets; }
    int64_t opening() const { return modulus() + operators(); }
    int64_t closing() const { return opening() + 1; }

    /// Numbers, then operators, then brackets.
    int64_t classes() const override { return opening() + (brackets() ? 2 : 0); }
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
    int64_t nextToken(const Expression& read, bool operand, int64_t left, Random& random) const;

    ModularArithmeticOptions m_options;
};

} // namespace unroll
