// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct CopyOptions {
    int64_t symbols = 8;                // alphabet to be remembered; blank and delimiter come on top
    int64_t length = 10;                // symbols to be remembered
    int64_t delay = 20;                 // D: steps from the last symbol to the delimiter
    int64_t evaluationSequences = 1000; // size of the fixed set that whole-split evaluation reads
    bool selective = false;             // the symbols stand at random places among the blanks
};

/// The copying memory task (Arjovsky, Shah, Bengio 2016), token form, T = delay + 2 * length:
///   tokens   `length` random symbols, delay - 1 blanks, the delimiter, `length` blanks
///   targets  delay + length blanks, then the symbols in their order
/// Every position has a loss; only the last `length` are scored for accuracy. Guessing without memory costs
/// length * ln(symbols) / T nats.
/// Selective copying (Gu, Dao 2023): the symbols stand, in their order, at `length` of the delay + length - 1 places
/// before the delimiter, every choice of places equally likely; what is asked for is the same.
class CopyTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const CopyTask>> create(const CopyOptions& options);

    bool selective() const { return m_options.selective; }
    int64_t length() const { return m_options.length; }
    int64_t blank() const { return m_options.symbols; }
    int64_t delimiter() const { return m_options.symbols + 1; }

    int64_t classes() const override { return m_options.symbols + 2; }
    int64_t steps() const override { return m_options.delay + 2 * m_options.length; }
    std::optional<Baseline> baseline(const Portion& portion) const override;
    std::string describe() const override;
    std::vector<std::string> alphabet() const override; // a, b, ..., then a blank and a delimiter sign
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    explicit CopyTask(const CopyOptions& options)
        : GeneratedTask("copy", options.evaluationSequences), m_options(options)
    {}
    void write(Draft draft, Split split, int64_t number, Random random) const override;
    std::vector<int64_t> symbolPlaces(Random& random) const;

    CopyOptions m_options;
};

} // namespace unroll
