// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct InductionOptions {
    int64_t symbols = 16;            // the trigger comes on top
    int64_t length = 256;            // T in training
    int64_t validationLength = 1024; // and in validation
    int64_t evaluationSequences = 1000;
};

/// Induction heads in the form of H3 (Fu et al. 2023) and Mamba (Gu, Dao 2023): random symbols, among them the trigger
/// once, at any of the places 0 .. T - 3, and a second time at the end; there the symbol that followed the first one is
/// asked for.
class InductionTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const InductionTask>> create(const InductionOptions& options);

    int64_t trigger() const { return m_options.symbols; }

    int64_t classes() const override { return m_options.symbols + 1; }
    int64_t steps() const override { return stepsIn(Split::Train); }
    std::optional<Baseline> baseline(const Portion& portion) const override; // ln of the number of symbols
    std::string describe() const override;
    std::vector<std::string> alphabet() const override; // a, b, ..., then the trigger's sign
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    explicit InductionTask(const InductionOptions& options)
        : GeneratedTask("indu", options.evaluationSequences), m_options(options)
    {}
    int64_t stepsIn(Split split) const override;
    void write(Draft draft, Split split, int64_t number, Random random) const override;

    InductionOptions m_options;
};

} // namespace unroll
