// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/dyck_task.h"

namespace unroll::nodes::dyck {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return DyckTask::create({.kinds = setup.integer("kinds"),
                             .depth = setup.integer("depth"),
                             .shortest = setup.integer("shortest"),
                             .longest = setup.integer("longest"),
                             .validationShortest = setup.integer("validation_shortest"),
                             .validationLongest = setup.integer("validation_longest"),
                             .evaluationSequences = setup.integer("evaluation_sequences")});
}

} // namespace unroll::nodes::dyck
