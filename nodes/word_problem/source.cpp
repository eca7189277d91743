// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/word_problem_task.h"
#include "core/model/builders.h"

namespace unroll::nodes::word_problem {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return WordProblemTask::create({.group = setup.text("group"),
                                    .length = setup.integer("length"),
                                    .validationLength = setup.integer("validation_length"),
                                    .evaluationSequences = setup.integer("evaluation_sequences")});
}

} // namespace unroll::nodes::word_problem
