// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/induction_task.h"

namespace unroll::nodes::induction {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return InductionTask::create({.symbols = setup.integer("symbols"),
                                  .length = setup.integer("length"),
                                  .validationLength = setup.integer("validation_length"),
                                  .evaluationSequences = setup.integer("evaluation_sequences")});
}

} // namespace unroll::nodes::induction
