// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/adding_task.h"

namespace unroll::nodes::adding {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return AddingTask::create(
        {.length = setup.integer("length"), .evaluationSequences = setup.integer("evaluation_sequences")});
}

} // namespace unroll::nodes::adding
