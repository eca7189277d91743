// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/counting_task.h"

namespace unroll::nodes::counting {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return CountingTask::create({.shortest = setup.integer("shortest"),
                                 .longest = setup.integer("longest"),
                                 .validationShortest = setup.integer("validation_shortest"),
                                 .validationLongest = setup.integer("validation_longest"),
                                 .evaluationSequences = setup.integer("evaluation_sequences"),
                                 .letters = setup.integer("letters")});
}

} // namespace unroll::nodes::counting
