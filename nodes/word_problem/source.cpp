// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/word_problem_task.h"

namespace unroll::nodes::word_problem {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    using Shorter = WordProblemOptions::Shorter;
    const std::string& shorter = setup.text("shorter");
    return WordProblemTask::create({.group = setup.text("group"),
                                    .length = setup.integer("length"),
                                    .validationLength = setup.integer("validation_length"),
                                    .evaluationSequences = setup.integer("evaluation_sequences"),
                                    .swapsOnly = setup.text("elements") == "swaps",
                                    .repeat = setup.integer("repeat"),
                                    .specialTokens = setup.boolean("special_tokens"),
                                    .heldOut = setup.boolean("held_out"),
                                    .shorter = shorter == "two"   ? Shorter::Two
                                               : shorter == "all" ? Shorter::All
                                                                  : Shorter::None,
                                    .trainingSequences = setup.integer("training_sequences")});
}

} // namespace unroll::nodes::word_problem
