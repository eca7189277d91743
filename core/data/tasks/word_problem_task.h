// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/finite_group.h"
#include "core/data/tasks/generated_task.h"

#include <memory>

namespace unroll {

struct WordProblemOptions {
    std::string group = "s3";       // as FiniteGroup::named
    int64_t length = 32;            // elements of a training sequence
    int64_t validationLength = 128; // and of a validation sequence
    int64_t evaluationSequences = 1000;
};

/// The word problem of a group: elements are read one by one, and each step asks for the product of all so far, y_t = y_{t-1} x_t from the
/// identity. In the form of Merrill, Petty, Sabharwal 2024 ("The Illusion of State in State-Space Models", arXiv:2404.08819).
class WordProblemTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const WordProblemTask>> create(const WordProblemOptions& options);

    int64_t classes() const override { return m_group.order(); }
    int64_t steps() const override { return m_options.length; }
    std::optional<Baseline> baseline() const override; // ln of the order
    std::string describe() const override;
    std::vector<std::string> alphabet() const override { return m_group.labels(); }
    std::string contentHash() const override;

private:
    WordProblemTask(const WordProblemOptions& options, FiniteGroup group)
        : GeneratedTask("word", options.evaluationSequences), m_options(options), m_group(std::move(group))
    {}
    int64_t stepsIn(Split split) const override;
    void write(Draft draft, Split split, Random random) const override;

    WordProblemOptions m_options;
    FiniteGroup m_group;
};

} // namespace unroll
